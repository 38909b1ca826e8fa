import { MERGEXO_CLI } from '@mergexo/core/basics';
import { FLOW_TRAITS } from '@mergexo/core/flows';
import { RUN_STATUS_NAMES } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import type { IssueDetails } from '../facts/issue/read-issue.js';
import { type Html, html } from '../html.js';
import { renderBlocked } from './blocked-part.js';
import { renderComment } from './comment-part.js';
import { formatDay, formatMoney } from './format.js';
import type { Links } from './links.js';
import { renderEmpty, renderTag, toExcerpt } from './parts.js';
import { listReceipt, renderFacts } from './receipt-part.js';
import { renderRound } from './review-part.js';
import { renderTimeline } from './timeline-part.js';
import { renderTurnCard } from './turn-card.js';
import { STAGES } from './work-row.js';

type View = { details: IssueDetails; now: number; all: boolean };

/** Renders one issue: its status, its turns, and the comments that belong to no turn. */
export function renderIssue({ details, now, all }: View, links: Links): Html {
  const { repo, issue, title, turns, earlierTurns, comments, earlierComments, rounds, events, earlier } =
    details;
  const more = `/issues/${repo}/${issue}?all=1`;
  return html`<h1><bdi>${title || `Issue ${issue}`}</bdi></h1>
${renderSubtitle(details, links)}
${renderNow(details, { now }, links)}
${details.runs.map((run) => renderRun(repo, run, links))}
${details.runs.length > 1 && html`<p class="quiet">Cost of all runs: ${formatMoney(details.runs.reduce((total, run) => total + run.use.costUsd, 0))}</p>`}
<section id="turns"><h2>Turns</h2>${turns.length === 0 ? renderEmpty('No turn has started yet.') : turns.map((turn, index) => renderTurnCard(turn, { repo, isOpen: index === 0, now }, links))}
${earlierTurns > 0 && html`<p class="quiet">${countOf(earlierTurns, 'earlier turn')} not shown. ${all ? html`Run <code>${MERGEXO_CLI} explain ${issue} --repo ${repo} --verbose</code> to list all.` : html`<a href="${more}">Show all</a>`}</p>`}</section>
${comments.length > 0 && html`<section id="comments"><h2>Other comments <span class="count">${comments.length + earlierComments}</span></h2><div class="card"><ul class="talk">${comments.map(renderComment)}</ul>${earlierComments > 0 && html`<p class="quiet">${countOf(earlierComments, 'earlier comment')} not shown</p>`}</div></section>`}
${rounds.length > 0 && html`<section id="reviews"><h2>Reviews</h2>${rounds.map((round) => html`<div class="card">${renderRound(round)}</div>`)}</section>`}
<section id="timeline"><h2>History</h2><details class="inner card" id="events"><summary>${countOf(events.length + earlier, 'event')} outside turns</summary>
${earlier > 0 && html`<p class="quiet">${countOf(earlier, 'earlier event')} not shown. Run <code>${MERGEXO_CLI} explain ${issue} --repo ${repo} --verbose</code> to list all.</p>`}
${events.length > 0 && renderTimeline(events)}</details></section>`;
}

function renderSubtitle({ repo, issue, runs, now }: IssueDetails, links: Links): Html {
  const { work, pause, canSkipReview } = now;
  const [latest] = runs;
  const canPause = latest?.isLive === true && pause === undefined;
  return html`<div class="subtitle">${work !== undefined && renderTag(STAGES[work.stage].look, STAGES[work.stage].name)}
${links.outward(repo, issue)}${latest !== undefined && latest.pr !== null && html` <span>PR ${links.pull({ repo, pr: latest.pr, url: latest.url })}</span>`}
<span class="buttons">${work?.stage === 'running' && html`<a class="button plain" href="/steer/cancel/${repo}/${issue}">Cancel turn…</a>`}${canSkipReview && html`<a class="button plain" href="/steer/skip-review/${repo}/${issue}">Skip review…</a>`}${canPause && html`<a class="button plain" href="/steer/pause/${repo}/${issue}">Pause…</a>`}</span></div>`;
}

/** Renders what the issue is waiting for, or the work in progress. */
function renderNow({ repo, issue, now: state }: IssueDetails, { now }: { now: number }, links: Links): Html {
  const { attention, wait, line, work } = state;
  if (attention?.blocked !== undefined) return renderBlocked(attention.blocked, now);
  if (attention !== undefined) {
    const { label, why, stage, pr, url } = attention;
    const action =
      stage === 'question' || pr === null
        ? html`<a class="button" href="${links.toIssue(repo, issue)}">Reply on GitHub ↗</a>`
        : html`<a class="button" href="${links.toPull({ repo, pr, url })}">Review on GitHub ↗</a>`;
    return html`<section id="now" class="card ask"><h2>${label}</h2><p class="text"><bdi>${toExcerpt(why, 4_000)}</bdi></p><p>${action}</p></section>`;
  }
  if (wait !== undefined)
    return html`<section id="now" class="card"><h2>In the queue</h2><p>Waiting for <bdi>${toExcerpt(wait.why === '' ? wait.whom : `${wait.whom}: ${wait.why}`)}</bdi></p>${wait.canRetry && html`<p><a class="button plain" href="/unblock/${repo}/${issue}">Retry now…</a></p>`}</section>`;
  if (line !== undefined && work !== undefined)
    return html`<section id="now" class="card"><h2>In progress</h2><p><a href="/turns/${work.turnKey}"><bdi>${toExcerpt(line.text)}</bdi></a></p></section>`;
  return html``;
}

function renderRun(repo: string, run: IssueDetails['runs'][number], links: Links): Html {
  const { flow, ordinal, status, error, branch, pr, url, createdAt, use, checks } = run;
  const tellsError = error !== null && (status === 'failed' || status === 'closed');
  const facts = [
    { name: 'Type', value: html`${FLOW_TRAITS[flow].name}${ordinal > 1 && html`, run ${ordinal}`}` },
    { name: 'Status', value: html`${RUN_STATUS_NAMES[status]}` },
    ...(use.attempts === 0 ? [{ name: 'Cost', value: html`nothing yet` }] : listReceipt(use)),
    { name: 'Pull request', value: links.pull({ repo, pr, url }) },
    { name: 'Checks', value: checks && html`<bdi>${checks}</bdi>` },
    { name: 'Branch', value: branch && html`<code>${branch}</code>` },
    {
      name: 'Started',
      value: html`<time datetime="${new Date(createdAt).toISOString()}">${formatDay(createdAt)}</time>`,
    },
  ];
  return html`<section class="card run">${renderFacts(facts)}${tellsError && html`<p class="text"><bdi>${toExcerpt(error)}</bdi></p>`}</section>`;
}
