import { countOf } from '@mergexo/core/text';
import { describeEvent } from '@mergexo/core/timeline';
import type { TurnEvent } from '../facts/issue/read-turn-cards.js';
import { type Html, html } from '../html.js';
import { type FoldedSteps, foldSteps } from './fold-steps.js';
import { lookOf } from './look-of.js';
import { renderTime } from './parts.js';

/** Renders recorded events, oldest first. Consecutive agent steps become one entry. */
export function renderTimeline(events: readonly TurnEvent[]): Html {
  return html`<ol class="timeline">${foldSteps(events).map((event) => ('steps' in event ? renderSteps(event) : renderEvent(event)))}</ol>`;
}

function renderSteps({ at, steps, count }: FoldedSteps): Html {
  const more = count - steps.length;
  return html`<li class="calm">${renderTime(at)} <b>Agent steps</b>
<ul class="steps">${more > 0 && html`<li class="quiet">${countOf(more, 'earlier step')} not shown</li>`}${steps.map((text) => html`<li><bdi>${text}</bdi></li>`)}</ul></li>`;
}

function renderEvent({ createdAt: at, type, pr, payload }: TurnEvent): Html {
  const { name, details } = describeEvent(type, payload);
  return html`<li class="${lookOf(type)}">${renderTime(at)} <b>${name}</b>${pr !== null && html` <span class="quiet">#${pr}</span>`}
${details.length > 0 && html`<dl>${details.map(({ key, value }) => html`<div><dt>${key}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>`}</li>`;
}
