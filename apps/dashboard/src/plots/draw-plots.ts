import type { Range, Series, SpendSeries } from '../facts/charts/read-series.js';
import { type Html, html } from '../html.js';
import { formatCount, formatDuration, formatMoney } from '../pages/format.js';
import { AREA, chooseTop, chooseTopSeconds, drawFrame, round, toY } from './frame.js';

/** Draws four plots as inline SVG, without scripts or extra requests. */
export function drawPlots(series: Series): Html {
  return html`<div class="plots">${[drawTurns(series), drawLatency(series), drawSpend(series), drawWaiting(series)]}</div>`;
}

const STEP_NAMES: Readonly<Record<Range, string>> = { hours: 'hour', days: 'day', weeks: 'week' };
const LAST_NAMES: Readonly<Record<Range, string>> = {
  hours: 'this hour',
  days: 'today',
  weeks: 'the last 7 days',
};

/** A part of a bar: its height and color. Parts of one bar are stacked. */
type Part = { value: number; look: 'calm' | 'good' | 'bad' };

function drawTurns({ range, steps, turns }: Series): Html {
  const top = chooseTop(
    turns.map(({ done, failed }) => done + failed),
    4,
  );
  const last = turns.at(-1) ?? { done: 0, failed: 0 };
  return drawFrame({
    title: `Turns per ${STEP_NAMES[range]}`,
    summary: `${last.done} done and ${last.failed} failed ${LAST_NAMES[range]}`,
    top,
    format: formatCount,
    ends: endsOf(range, steps),
    body: drawBars(turns, { top, range, steps }, ({ done, failed }) => ({
      parts: [
        { value: done, look: 'good' },
        { value: failed, look: 'bad' },
      ],
      text: `${done} done, ${failed} failed`,
    })),
  });
}

function drawLatency({ range, steps, medianLatency }: Series): Html {
  const known = medianLatency.filter((value) => value !== null);
  const top = chooseTopSeconds(known);
  const last = known.at(-1);
  return drawFrame({
    title: 'Median time from comment to reply',
    summary:
      last === undefined
        ? 'no replies yet'
        : `${formatDuration(last * 1_000)} in the last ${STEP_NAMES[range]} with replies`,
    top,
    format: (value) => formatDuration(value * 1_000),
    ends: endsOf(range, steps),
    body: drawBars(medianLatency, { top, range, steps }, (value) => ({
      parts: [{ value: value ?? 0, look: 'calm' }],
      text: value === null ? 'no replies' : formatDuration(value * 1_000),
    })),
  });
}

/** Draws the spending: USD if an agent reports its cost, else tokens. */
export function drawSpend({ range, steps, costUsd, tokens }: SpendSeries): Html {
  const inMoney = costUsd.some((cost) => cost > 0);
  const values = inMoney ? costUsd : tokens;
  const format = inMoney ? formatMoney : (value: number) => `${formatCount(value)} tokens`;
  const top = chooseTop(values, inMoney ? 0.01 : 1_000);
  return drawFrame({
    title: `Spend per ${STEP_NAMES[range]}`,
    summary: `${format(values.at(-1) ?? 0)} ${LAST_NAMES[range]}`,
    top,
    format: inMoney ? formatMoney : formatCount,
    ends: endsOf(range, steps),
    body: drawBars(values, { top, range, steps }, (value) => ({
      parts: [{ value, look: 'calm' }],
      text: format(value),
    })),
  });
}

function drawWaiting({ range, steps, waiting }: Series): Html {
  const top = chooseTop(waiting, 4);
  return drawFrame({
    title: 'Peak number of turns waiting for a worker',
    summary: `${waiting.at(-1) ?? 0} ${LAST_NAMES[range]}`,
    top,
    format: formatCount,
    ends: endsOf(range, steps),
    body: drawBars(waiting, { top, range, steps }, (value) => ({
      parts: [{ value, look: 'calm' }],
      text: `${value} waiting`,
    })),
  });
}

type Scale = { top: number; range: Range; steps: readonly number[] };

/** Draws one bar per step. An invisible bar over the full height makes the tooltip easy to reach. */
function drawBars<Value>(
  values: readonly Value[],
  { top, range, steps }: Scale,
  describe: (value: Value) => { parts: readonly Part[]; text: string },
): Html {
  const pitch = (AREA.right - AREA.left) / values.length;
  const bars = values.map((value, index) => {
    const { parts, text } = describe(value);
    const left = AREA.left + index * pitch;
    let from = 0;
    const rects = parts.map(({ value: size, look }) => {
      const y = toY(from + size, top);
      const height = round(toY(from, top) - y);
      from += size;
      if (height <= 0) return html``;
      return html`<rect class="${look}" x="${round(left + pitch * 0.15)}" y="${y}" width="${round(pitch * 0.7)}" height="${height}" rx="1"/>`;
    });
    return html`<g class="bar"><title>${nameStep(range, steps[index] ?? 0)}: ${text}</title><rect class="slot" x="${round(left)}" y="${AREA.top}" width="${round(pitch)}" height="${AREA.bottom - AREA.top}"/>${rects}</g>`;
  });
  return html`${bars}`;
}

/** Names a step by its start: `14:00`, `2026-11-18` or `week of 2026-11-12`. */
function nameStep(range: Range, start: number): string {
  const text = new Date(start).toISOString();
  if (range === 'hours') return `${text.slice(11, 16)} UTC`;
  return range === 'days' ? text.slice(0, 10) : `7 days from ${text.slice(0, 10)}`;
}

function endsOf(range: Range, steps: readonly number[]): [string, string] {
  return [nameStep(range, steps[0] ?? 0), range === 'hours' ? 'now' : 'today'];
}
