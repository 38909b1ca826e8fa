import { MERGEXO_CLI } from '@mergexo/core/basics';
import { FLOW_TRAITS } from '@mergexo/core/flows';
import { countOf } from '@mergexo/core/text';
import { TURN_KIND_NAMES, TURN_STATE_NAMES } from '@mergexo/core/turns';
import type { Fleet, Running, Waiting } from '../facts/read-fleet.js';
import type { History } from '../facts/read-history.js';
import type { RecentTurn } from '../facts/read-recent-turns.js';
import { type Html, html } from '../html.js';
import { drawPlots } from '../plots/draw-plots.js';
import type { Carrier } from '../queues/read-carrier.js';
import { renderBlocked } from './blocked-part.js';
import { formatCount, formatDuration, formatMoney, formatTime } from './format.js';
import { renderNotice } from './layout.js';
import type { Links } from './links.js';

/** The available data, and the reasons why other data is missing. */
export type View = {
  fleet: Fleet | undefined;
  history: History | undefined;
  carrier: Carrier | undefined;
  /** False if the poller receives no heartbeats, because the number of workers is then unknown. */
  countsWorkers: boolean;
  problems: readonly string[];
  now: number;
};

const SHOWN_WAITING = 100;

export function renderFleet(view: View, links: Links): Html {
  const { fleet, history, now, problems } = view;
  const notices = problems.map((trouble) => renderNotice('bad', html`${trouble}`));
  if (fleet === undefined) return html`<h1>Overview</h1>${notices}`;
  return html`<h1>Overview</h1>
${notices}
${fleet.pauses.map(({ repo, until, reason }) =>
  renderNotice('bad', html`MergeXO paused polling ${repo} until ${formatTime(until)}: ${reason}`),
)}
${fleet.repositories.length === 0 && renderNotice('plain', html`The poller has not polled any repository yet.`)}
${renderFigures(fleet, view)}
${fleet.blocked.length > 0 && renderBlocked(fleet.blocked, links, now)}
<section id="running"><h2>Running</h2>${renderRunning(fleet.running, links, now)}</section>
<section id="waiting"><h2>Waiting</h2>${renderWaiting(fleet.waiting, links, now)}</section>
<section id="recent"><h2>Recent turns</h2>${renderRecent(fleet.recent, links, now)}</section>
${history !== undefined && html`<section id="history"><h2>History</h2>${drawPlots(history)}</section>`}
<section id="workers"><h2>Workers</h2>${renderWorkers(fleet, view)}</section>`;
}

function renderFigures(fleet: Fleet, { carrier, countsWorkers }: View): Html {
  const { running, waiting, blocked, workers, spend } = fleet;
  const turns = carrier?.counts.find(({ queue }) => queue === 'turns')?.counts;
  const tokens = formatCount(spend.inputTokens + spend.outputTokens);
  const cards = [
    {
      name: 'issues in progress',
      figure: String(running.length),
      about: `${waiting.length} waiting`,
    },
    {
      name: 'blocked',
      figure: String(blocked.length),
      about: blocked.length > 0 ? 'waiting for an operator' : 'nothing to unblock',
      alarm: blocked.length > 0,
    },
    {
      name: 'workers',
      figure: countsWorkers ? String(workers.length) : '?',
      about: countsWorkers ? describeBusy(fleet) : 'unknown',
      alarm: countsWorkers && workers.length === 0,
    },
    {
      name: 'turns running',
      figure: turns === undefined ? '?' : String(turns.active),
      about:
        turns === undefined
          ? 'Redis unavailable'
          : `${turns.waiting + turns.delayed + turns.prioritized} queued`,
    },
    { name: 'spent today', figure: formatMoney(spend.costUsd), about: `${tokens} tokens` },
  ];
  return html`<dl class="cards">${cards.map(
    ({ name, figure, about, alarm }) =>
      html`<div${alarm === true && html` class="alarm"`}><dt>${name}</dt><dd>${figure}</dd><dd class="quiet">${about}</dd></div>`,
  )}</dl>`;
}

function describeBusy({ workers }: Fleet): string {
  return `${workers.filter(({ turns }) => turns > 0).length} busy`;
}

function renderRunning(running: readonly Running[], links: Links, now: number): Html {
  if (running.length === 0) return html`<p class="quiet">No turns are running.</p>`;
  return html`<div class="wide"><table>
<thead><tr><th>Turn</th><th>Issue</th><th>PR</th><th>Worker</th><th>Attempt</th><th>Elapsed</th><th>Progress</th></tr></thead>
<tbody>${running.map(
    (turn) => html`<tr>
<td><span class="dot good"></span>${TURN_KIND_NAMES[turn.kind]}</td>
<td>${links.issue(turn.repo, turn.issue)} <bdi class="title">${turn.title}</bdi></td>
<td>${links.pull(turn)}</td>
<td class="id">${turn.worker ?? 'none'}</td>
<td>${turn.attempt}</td>
<td>${renderAge(turn.since, now)}</td>
<td>${renderProgress(turn, now)}</td>
</tr>`,
  )}</tbody></table></div>`;
}

/** Renders the agent's steps while it runs, then the steps that publish its result. */
function renderProgress(turn: Running, now: number): Html {
  const [latest, ...earlier] = turn.state === 'running' ? turn.steps : [];
  const text = latest === undefined ? TURN_STATE_NAMES[turn.state] : latest.text;
  const since = latest !== undefined && html` <span class="quiet">(${renderAge(latest.at, now)})</span>`;
  return html`<bdi class="step">${text}</bdi>${since}${earlier.map(
    (step) => html`<div class="quiet"><bdi class="step">${step.text}</bdi></div>`,
  )}${renderHeartbeat(turn, now)}`;
}

/** Renders the latest heartbeat, except while MergeXO posts the result, because posting needs no worker. */
function renderHeartbeat({ state, heartbeatAt }: Running, now: number): Html {
  if (state === 'speaking' || heartbeatAt === null) return html``;
  return html`<div class="quiet">last heartbeat ${formatDuration(now - heartbeatAt)} ago</div>`;
}

function renderWaiting(waiting: readonly Waiting[], links: Links, now: number): Html {
  if (waiting.length === 0) return html`<p class="quiet">No issues are waiting.</p>`;
  const hidden = waiting.length - SHOWN_WAITING;
  return html`<div class="wide"><table>
<thead><tr><th>Issue</th><th>Type</th><th>PR</th><th>Waiting for</th><th>Reason</th><th>Elapsed</th></tr></thead>
<tbody>${waiting.slice(0, SHOWN_WAITING).map(
    (run) => html`<tr>
<td>${links.issue(run.repo, run.issue)} <bdi class="title">${run.title}</bdi></td>
<td>${FLOW_TRAITS[run.flow].name}</td>
<td>${links.pull(run)}</td>
<td>${run.whom}</td>
<td class="reason"><bdi>${run.why}</bdi></td>
<td>${renderAge(run.since, now)}</td>
</tr>`,
  )}</tbody></table></div>${hidden > 0 && html`<p class="quiet">${hidden} more not shown. Run <code>${MERGEXO_CLI} status</code> to list all.</p>`}`;
}

const LOOKS: Readonly<Record<string, string>> = { done: 'good', blocked: 'bad' };

function renderRecent(recent: readonly RecentTurn[], links: Links, now: number): Html {
  if (recent.length === 0) return html`<p class="quiet">No turns have finished yet.</p>`;
  return html`<div class="wide"><table>
<thead><tr><th>Finished</th><th>Turn</th><th>Issue</th><th>PR</th><th>Result</th><th>Attempts</th><th>Duration</th></tr></thead>
<tbody>${recent.map(
    (turn) => html`<tr>
<td>${renderAge(turn.endedAt, now)} ago</td>
<td>${TURN_KIND_NAMES[turn.kind]}</td>
<td>${links.issue(turn.repo, turn.issue)} <bdi class="title">${turn.title}</bdi></td>
<td>${links.pull({ ...turn, url: null })}</td>
<td class="reason"><span class="dot ${LOOKS[turn.state] ?? 'calm'}"></span>${turn.state}${turn.state !== 'done' && turn.reason !== null && html`: <bdi>${turn.reason}</bdi>`}</td>
<td>${turn.attempt}</td>
<td>${formatDuration(turn.tookMs)}</td>
</tr>`,
  )}</tbody></table></div>`;
}

function renderWorkers({ workers }: Fleet, { countsWorkers }: View): Html {
  if (!countsWorkers) return html`<p class="quiet">Unknown: the poller receives no worker heartbeats.</p>`;
  if (workers.length === 0)
    return html`<p>No workers are running. <span class="quiet">Start one with <code>npm run worker</code>.</span></p>`;
  return html`<ul class="workers">${workers.map(
    ({ id, holder, turns }) =>
      html`<li><span class="dot ${turns > 0 ? 'good' : 'calm'}"></span>${id} <span class="quiet">${holder}, ${turns === 0 ? 'idle' : countOf(turns, 'turn')}</span></li>`,
  )}</ul>`;
}

export function renderAge(time: number, now: number): Html {
  return html`<time datetime="${new Date(time).toISOString()}" title="${formatTime(time)}">${formatDuration(now - time)}</time>`;
}
