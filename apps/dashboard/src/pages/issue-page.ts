import { MERGEXO_CLI } from '@mergexo/core/basics';
import { FLOW_TRAITS } from '@mergexo/core/flows';
import { RUN_STATUS_NAMES } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import { describeEvent, toReadable } from '@mergexo/core/timeline';
import type { IssueDetails } from '../facts/read-issue.js';
import { type Html, html, toWebUrl } from '../html.js';
import { type FoldedSteps, foldSteps } from './fold-steps.js';
import { formatTime } from './format.js';
import type { Links } from './links.js';
import { lookOf } from './look-of.js';

const MAX_BODY = 600;
const VERBS: Readonly<Record<IssueDetails['comments'][number]['kind'], string>> = {
  issue: 'commented on',
  review: 'commented on a line of',
  review_summary: 'reviewed',
  ci: 'reported a failed check on',
};

/** Names of verdicts, and of states for rounds without a verdict. Other values are shown unchanged. */
const REVIEW_NAMES: Readonly<Record<string, string>> = {
  open: 'in progress',
  changes_requested: 'changes requested',
};

const REVIEW_LOOKS: Readonly<Record<string, string>> = {
  approved: 'good',
  changes_requested: 'bad',
  failed: 'bad',
};

/** Renders the runs, reviews, comments and timeline of one issue. */
export function renderIssue(details: IssueDetails, links: Links): Html {
  const { repo, issue, title, runs, reviews, comments, events, earlier } = details;
  return html`<h1>${links.issue(repo, issue)} <bdi class="title">${title}</bdi></h1>
<section><h2>Work</h2>${runs.length === 0 ? html`<p class="quiet">No work yet.</p>` : html`<ul class="runs">${runs.map((run) => renderRun(repo, run, links))}</ul>`}</section>
${reviews.length > 0 && html`<section><h2>Reviews</h2><ul class="comments">${reviews.map(renderReview)}</ul></section>`}
${comments.length > 0 && html`<section><h2>Comments</h2><ul class="comments">${comments.map(renderComment)}</ul></section>`}
<section><h2>Timeline</h2>
${earlier > 0 && html`<p class="quiet">${countOf(earlier, 'earlier event')} not shown. Run <code>${MERGEXO_CLI} explain ${issue} --repo ${repo} --verbose</code> to list all.</p>`}
${events.length === 0 ? html`<p class="quiet">No events yet.</p>` : html`<ol class="timeline">${foldSteps(events).map((event) => ('steps' in event ? renderSteps(event) : renderEvent(event)))}</ol>`}</section>`;
}

function renderRun(repo: string, run: IssueDetails['runs'][number], links: Links): Html {
  const { flow, ordinal, status, error, branch, pr, url } = run;
  return html`<li>${FLOW_TRAITS[flow].name}${ordinal > 1 && html`, run ${ordinal}`}: <span class="tag ${status === 'blocked' || status === 'failed' ? 'bad' : 'calm'}">${RUN_STATUS_NAMES[status]}</span>
${pr === null ? html`branch <code>${branch}</code>` : html`pull request ${links.pull({ repo, pr, url })}`}${error !== null && html`<p class="reason"><bdi>${cut(error)}</bdi></p>`}</li>`;
}

function renderReview(review: IssueDetails['reviews'][number]): Html {
  const { pr, number, headSha, verdict, state, summary, at, findings } = review;
  const outcome = verdict ?? state;
  return html`<li>${renderTime(at)} round ${number} on #${pr} <span class="quiet">${headSha.slice(0, 12)}</span>
<span class="tag ${REVIEW_LOOKS[outcome] ?? 'calm'}">${REVIEW_NAMES[outcome] ?? outcome}</span>${summary !== null && html`<p class="reason"><bdi>${cut(summary)}</bdi></p>`}
${findings.length > 0 && html`<ul class="findings">${findings.map(renderFinding)}</ul>`}</li>`;
}

function renderFinding(finding: IssueDetails['reviews'][number]['findings'][number]): Html {
  const { severity, category, place, body, status, note } = finding;
  return html`<li><span class="tag ${status === 'open' ? 'bad' : 'calm'}">${status === 'wontfix' ? "won't fix" : status}</span> ${severity}, ${category.replaceAll('_', ' ')} at <code><bdi>${place}</bdi></code>
<p class="reason"><bdi>${cut(body)}</bdi></p>${note !== null && html`<p class="reason quiet"><bdi>${cut(note)}</bdi></p>`}</li>`;
}

function renderComment(comment: IssueDetails['comments'][number]): Html {
  const { thread, kind, author, saidAt, url, body, isOurs, status } = comment;
  const link = toWebUrl(url);
  return html`<li${isOurs && html` class="ours"`}>${renderTime(saidAt)} <bdi>${author}</bdi> <span class="quiet">${VERBS[kind]} #${thread}</span>${link !== undefined && html`<a class="out" href="${link}" title="on GitHub">↗</a>`}
<span class="tag ${status.startsWith('answered') ? 'good' : 'calm'}">${status}</span><p class="reason"><bdi>${cut(body)}</bdi></p></li>`;
}

/** Renders consecutive agent steps as one entry. */
function renderSteps({ at, steps, count }: FoldedSteps): Html {
  const more = count - steps.length;
  return html`<li class="calm">${renderTime(at)} <b title="turn_progress">Agent steps</b>
<ul class="steps">${more > 0 && html`<li class="quiet">${countOf(more, 'earlier step')} not shown</li>`}${steps.map((text) => html`<li><bdi class="step">${text}</bdi></li>`)}</ul></li>`;
}

function renderEvent({ createdAt: at, type, pr, payload, turnKey }: IssueDetails['events'][number]): Html {
  const { name, details } = describeEvent(type, payload);
  return html`<li class="${lookOf(type)}">${renderTime(at)} <b title="${type}">${name}</b>${pr !== null && html` <span class="quiet">#${pr}</span>`}${type === 'turn_begun' && turnKey !== null && html` <a href="/turns/${turnKey}">steps</a>`}
${details.length > 0 && html`<dl>${details.map(({ key, value }) => html`<div><dt>${key}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>`}</li>`;
}

function renderTime(time: number): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${formatTime(time)}</time>`;
}

function cut(text: string): string {
  const readable = toReadable(text);
  return readable.length > MAX_BODY ? `${readable.slice(0, MAX_BODY)} …` : readable;
}
