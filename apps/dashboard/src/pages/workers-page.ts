import { MERGEXO_CLI } from '@mergexo/core/basics';
import { TURN_KIND_NAMES } from '@mergexo/core/turns';
import type { LostWorker } from '../facts/read-lost-workers.js';
import type { WorkerRow, WorkerTurn } from '../facts/read-workers.js';
import { type Html, html } from '../html.js';
import { renderAge, renderElapsed, renderEmpty, renderTag, toExcerpt } from './parts.js';

type View = {
  /** Undefined if their number is unknown. */
  workers: readonly WorkerRow[] | undefined;
  lost: readonly LostWorker[];
};

/** Renders the workers: first those that stopped responding, then the others. */
export function renderWorkers({ workers, lost }: View, now: number): Html {
  if (workers === undefined)
    return html`<h1>Workers</h1>${renderEmpty('The status of the workers is unknown: the poller is not receiving heartbeats.')}`;
  const idle = workers.filter(({ turns }) => turns.length === 0).length;
  return html`<div class="headline"><h1>Workers</h1><dl class="figures"><div><dt>Busy</dt><dd>${workers.length - idle}</dd></div><div><dt>Idle</dt><dd>${idle}</dd></div><div><dt>Down</dt><dd>${lost.length}</dd></div></dl></div>
${lost.length > 0 && html`<section id="lost"><ul class="list">${lost.map((worker) => renderLost(worker, now))}</ul></section>`}
<section id="workers">${
    workers.length === 0
      ? html`<p class="empty">No workers are running. Start one with <code>${MERGEXO_CLI} up</code> or <code>npm run worker</code>.</p>`
      : html`<ul class="list">${workers.map((worker) => renderWorker(worker, now))}</ul>`
  }</section>`;
}

function renderLost({ id, host, pid, at }: LostWorker, now: number): Html {
  return html`<li class="row"><span class="state bad"></span>
<div class="what"><b><bdi>${id}</bdi></b> ${renderTag('bad', 'down')}
<p class="why">Stopped responding ${renderAge(at, now)}. MergeXO gave its turns to other workers. If this worker should still be running, read its log and restart it.</p>
<p class="meta"><bdi>${host}, process ${pid}</bdi></p></div></li>`;
}

function renderWorker({ id, holder, heardAt, notices, turns, idleSince }: WorkerRow, now: number): Html {
  const isBusy = turns.length > 0;
  const about =
    idleSince === null ? html`no recent turn` : html`last turn ended ${renderAge(idleSince, now)}`;
  return html`<li class="row"><span class="state ${isBusy ? 'calm pulsing' : 'quiet'}"></span>
<div class="what"><b><bdi>${id}</bdi></b> ${renderTag(isBusy ? 'calm' : 'quiet', isBusy ? 'busy' : 'idle')}
${turns.map((turn) => renderTurn(turn, now))}
<p class="meta"><bdi>${holder}</bdi>, last heartbeat ${renderAge(heardAt, now)}${!isBusy && html` · ${about}`}</p>
${notices.map((notice) => html`<p class="meta">${notice}</p>`)}</div></li>`;
}

function renderTurn({ turnKey, kind, repo, issueNumber, title, since, line }: WorkerTurn, now: number): Html {
  return html`<p class="why"><a class="goal" href="/turns/${turnKey}">${TURN_KIND_NAMES[kind]}</a>${issueNumber !== null && html` · <a href="/issues/${repo}/${issueNumber}">${repo}#${issueNumber}</a> <bdi>${title}</bdi>`} <span class="quiet">for ${renderElapsed(since, now)}</span></p>
${line !== null && html`<p class="why quiet"><bdi>${toExcerpt(line, 200)}</bdi></p>`}`;
}
