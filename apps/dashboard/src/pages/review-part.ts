import type { ReviewRound } from '../facts/issue/read-reviews.js';
import { type Html, html } from '../html.js';
import { type Look, renderTag, renderTime, toExcerpt } from './parts.js';

/** Names of verdicts, and of states for rounds without a verdict. Other values are shown unchanged. */
const NAMES: Readonly<Record<string, string>> = {
  open: 'in progress',
  changes_requested: 'changes requested',
};
const LOOKS: Readonly<Record<string, Look>> = {
  approved: 'good',
  changes_requested: 'bad',
  failed: 'bad',
};

/** Renders one round of the AI review with its findings. */
export function renderRound({
  pr,
  number,
  headSha,
  verdict,
  state,
  summary,
  at,
  findings,
}: ReviewRound): Html {
  const outcome = verdict ?? state;
  return html`<div class="round"><p>Review round ${number} of #${pr} at <code>${headSha.slice(0, 12)}</code> <span class="quiet">${renderTime(at)}</span> ${renderTag(LOOKS[outcome] ?? 'quiet', NAMES[outcome] ?? outcome)}</p>
${summary !== null && html`<p class="text"><bdi>${toExcerpt(summary)}</bdi></p>`}
${findings.length > 0 && html`<ul class="findings">${findings.map(renderFinding)}</ul>`}</div>`;
}

function renderFinding(finding: ReviewRound['findings'][number]): Html {
  const { severity, category, place, body, status, note } = finding;
  const state = renderTag(status === 'open' ? 'bad' : 'quiet', status === 'wontfix' ? "won't fix" : status);
  return html`<li>${state} ${severity}, ${category.replaceAll('_', ' ')} at <code><bdi>${place}</bdi></code>
<p class="text"><bdi>${toExcerpt(body)}</bdi></p>${note !== null && html`<p class="text quiet"><bdi>${toExcerpt(note)}</bdi></p>`}</li>`;
}
