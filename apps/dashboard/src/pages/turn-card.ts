import { countOf } from '@mergexo/core/text';
import { TURN_KIND_NAMES, TURN_STATE_NAMES } from '@mergexo/core/turns';
import type { AgentUse } from '@mergexo/state';
import type { Answer, TurnCard } from '../facts/issue/read-turn-cards.js';
import { type Html, html } from '../html.js';
import { renderComment } from './comment-part.js';
import { formatCount, formatDuration, formatMoney } from './format.js';
import type { Links } from './links.js';
import { type Look, renderAge, renderElapsed, renderTag, toExcerpt } from './parts.js';
import { listReceipt, renderFacts } from './receipt-part.js';
import { renderRound } from './review-part.js';
import { renderTimeline } from './timeline-part.js';

const LOOKS: Readonly<Record<TurnCard['state'], Look>> = {
  ...{ open: 'quiet', queued: 'quiet', running: 'calm', frozen: 'calm', speaking: 'calm' },
  ...{ done: 'good', deferred: 'quiet', superseded: 'quiet', blocked: 'bad', cancelled: 'quiet' },
};

type Scope = { repo: string; isOpen: boolean; now: number };

/** Renders one turn as a card that expands on a click: comments and replies, commit, tests and cost. */
export function renderTurnCard(turn: TurnCard, { repo, isOpen, now }: Scope, links: Links): Html {
  const { turnKey, kind, state, reason, endedAt, comments, answers, round, events } = turn;
  const tellsReason = reason !== null && state !== 'done';
  return html`<details class="turn" id="turn-${turnKey}"${isOpen && html` open`}><summary><span class="state ${LOOKS[state]}${state === 'running' && ' pulsing'}"></span>
<div class="what"><span class="name">${TURN_KIND_NAMES[kind]}</span> ${renderTag(LOOKS[state], TURN_STATE_NAMES[state])}
<p class="meta">${renderGist(turn, now)}</p></div></summary>
<div class="body">
${tellsReason && html`<p class="text"><bdi>${toExcerpt(reason, 2_000)}</bdi></p>`}
${(comments.length > 0 || answers.length > 0) && html`<ul class="talk">${comments.map((comment) => html`${renderComment(comment)}${comment.answer !== undefined && renderAnswer(comment.answer, undefined)}`)}${answers.map((answer) => renderAnswer(answer, comments.length > 1 ? 'to the comments above' : undefined))}</ul>`}
${round !== undefined && renderRound(round)}
${renderTurnFacts(turn, repo, links)}
<p><a href="/turns/${turnKey}">${endedAt === null ? 'Follow the steps live' : 'Steps'}</a></p>
${events.length > 0 && html`<details class="inner" id="events-${turnKey}"><summary>${countOf(events.length, 'event')}</summary>${renderTimeline(events)}</details>`}
</div></details>`;
}

function renderGist(turn: TurnCard, now: number): Html {
  const { openedAt, endedAt, attempts, comments, receipt } = turn;
  const parts = [
    endedAt === null
      ? html`for ${renderElapsed(openedAt, now)}`
      : html`${renderAge(endedAt, now)}, took ${formatDuration(endedAt - openedAt)}`,
    ...(comments.length > 0 ? [html`${countOf(comments.length, 'comment')}`] : []),
    ...(receipt === undefined ? [] : [html`${describeGist(receipt)}`]),
    ...(attempts > 1 ? [html`${attempts} attempts`] : []),
  ];
  return html`${parts.map((part, index) => html`${index > 0 && ' · '}${part}`)}`;
}

/** The cost, or the tokens if the cost is unknown. */
function describeGist({ costUsd, inputTokens, outputTokens }: AgentUse): string {
  return costUsd > 0 ? formatMoney(costUsd) : `${formatCount(inputTokens + outputTokens)} tokens`;
}

function renderTurnFacts(turn: TurnCard, repo: string, links: Links): Html {
  const { commit, tests, receipt, attempts, worker } = turn;
  return renderFacts([
    {
      name: 'Commit',
      value:
        commit && html`<a href="${links.toCommit(repo, commit)}"><code>${commit.slice(0, 12)}</code></a>`,
    },
    { name: 'Tests', value: tests && html`<bdi>${tests}</bdi>` },
    ...(receipt === undefined ? [] : listReceipt(receipt)),
    { name: 'Attempts', value: attempts > 0 && html`${attempts}` },
    { name: 'Worker', value: worker && html`<bdi>${worker}</bdi>` },
  ]);
}

function renderAnswer({ text, outcome }: Answer, about: string | undefined): Html {
  return html`<li class="answer"><div class="said"><p class="meta">MergeXO replied${about !== undefined && ` ${about}`} ${outcome !== 'posted' && html`<span class="tag">${outcome}</span>`}</p><p class="text"><bdi>${toExcerpt(text, 2_000)}</bdi></p></div></li>`;
}
