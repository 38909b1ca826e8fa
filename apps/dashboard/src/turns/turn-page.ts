import { STEP_NAMES } from '@mergexo/core/agent';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { toReadable } from '@mergexo/core/timeline';
import { TURN_KIND_NAMES, TURN_STATE_NAMES } from '@mergexo/core/turns';
import type { StoredStep } from '@mergexo/state';
import { type Html, html } from '../html.js';
import { formatDuration, formatTime } from '../pages/format.js';
import type { Links } from '../pages/links.js';
import { listReceipt } from '../pages/receipt-part.js';
import { SHOWN_STEPS, type TurnDetails, type TurnSteps } from './read-turn.js';

/** Renders the facts about a turn and its latest steps. The script adds new steps to the list. */
export function renderTurn(details: TurnDetails, { steps, cursor }: TurnSteps, links: Links): Html {
  const { turnKey, kind } = details;
  const short = turnKey.slice(0, 12);
  return html`<link rel="stylesheet" href="/assets/turn.css"><h1>${TURN_KIND_NAMES[kind]}</h1>
<div id="facts">${renderFacts(details, links)}</div>
<section><h2>Steps</h2>
${steps.length >= SHOWN_STEPS && html`<p class="quiet">Earlier steps are not shown. Run <code>${MERGEXO_CLI} logs ${short} --since 14d</code> to list all stored steps.</p>`}
<p id="none" class="quiet"${steps.length > 0 && html` hidden`}>No steps yet.</p>
<ol id="steps" class="turn-steps" data-from="/turns/${turnKey}/events" data-after="${cursor}">${steps.map(renderStep)}</ol></section>`;
}

export function renderFacts(details: TurnDetails, links: Links): Html {
  const { repo, issue, title, pr, url, state, attempt, worker, reason, openedAt, endedAt, use } = details;
  return html`<dl class="turn-facts">
<div><dt>Issue</dt><dd>${links.issue(repo, issue)} <bdi class="title">${title}</bdi></dd></div>
<div><dt>Pull request</dt><dd>${links.pull({ repo, pr, url })}</dd></div>
<div><dt>State</dt><dd><span class="tag ${state === 'blocked' ? 'bad' : 'calm'}">${TURN_STATE_NAMES[state]}</span></dd></div>
<div><dt>Attempt</dt><dd>${attempt}</dd></div>
<div><dt>Worker</dt><dd>${worker ?? '–'}</dd></div>
${use !== undefined && listReceipt(use).map(({ name, value }) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : html``))}
<div><dt>Opened</dt><dd>${renderTime(openedAt)}</dd></div>
${endedAt !== null && html`<div><dt>Ended</dt><dd>${renderTime(endedAt)} <span class="quiet">after ${formatDuration(endedAt - openedAt)}</span></dd></div>`}
</dl>${reason !== null && html`<p class="reason"><bdi>${toReadable(reason)}</bdi></p>`}`;
}

/** Renders one step as one line of HTML. */
export function renderStep({ id, kind, text, attempt, createdAt }: StoredStep): Html {
  // The table may contain a kind from a newer version.
  const name = kind in STEP_NAMES ? STEP_NAMES[kind] : kind;
  return html`<li id="step-${id}" class="step-${kind}">${renderTime(createdAt)} <b>${name}</b> <bdi class="step">${text}</bdi>${attempt > 1 && html` <span class="quiet">attempt ${attempt}</span>`}</li>`;
}

function renderTime(time: number): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${formatTime(time)}</time>`;
}
