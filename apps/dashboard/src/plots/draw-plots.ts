import type { History } from '../facts/read-history.js';
import { type Html, html } from '../html.js';
import { formatCount, formatDay, formatDuration, formatMoney } from '../pages/format.js';
import { AREA, chooseTop, chooseTopSeconds, drawFrame, round, toY } from './frame.js';

/** Draws four plots as inline SVG, without scripts or extra requests. */
export function drawPlots(history: History): Html {
  return html`<div class="plots">${[drawLatency(history), drawTurns(history), drawSpend(history), drawDepth(history)]}</div>`;
}

function drawLatency({ days, medianLatency }: History): Html {
  const known = medianLatency.filter((value) => value !== null);
  const top = chooseTopSeconds(known);
  const last = known.at(-1);
  const bars = medianLatency.map((value, index) =>
    value === null
      ? html``
      : drawBar({ days, index, from: 0, to: value, top, look: 'calm', text: formatDuration(value * 1_000) }),
  );
  return drawFrame({
    title: 'Median time from comment to reply',
    summary:
      last === undefined
        ? 'no replies yet'
        : `median on the most recent day with replies: ${formatDuration(last * 1_000)}`,
    top,
    format: (value) => formatDuration(value * 1_000),
    ends: endsOf(days),
    body: html`${bars}`,
  });
}

function drawTurns({ days, turns }: History): Html {
  const top = chooseTop(
    turns.map(({ done, failed }) => done + failed),
    4,
  );
  const today = turns.at(-1) ?? { done: 0, failed: 0 };
  const bars = turns.flatMap(({ done, failed }, index) => {
    const text = `${done} done, ${failed} failed`;
    return [
      drawBar({ days, index, from: 0, to: done, top, look: 'good', text }),
      drawBar({ days, index, from: done, to: done + failed, top, look: 'bad', text }),
    ];
  });
  return drawFrame({
    title: 'Turns per day',
    summary: `${today.done} done and ${today.failed} failed today`,
    top,
    format: formatCount,
    ends: endsOf(days),
    body: html`${bars}`,
  });
}

/** Draws the spending: USD if an agent reports its cost, else tokens. */
function drawSpend({ days, costUsd, tokens }: History): Html {
  const inMoney = costUsd.some((cost) => cost > 0);
  const values = inMoney ? costUsd : tokens;
  const format = inMoney ? formatMoney : (value: number) => `${formatCount(value)} tokens`;
  const top = chooseTop(values, inMoney ? 0.01 : 1_000);
  const bars = values.map((value, index) =>
    drawBar({ days, index, from: 0, to: value, top, look: 'calm', text: format(value) }),
  );
  return drawFrame({
    title: 'Spend per day',
    summary: `${format(values.at(-1) ?? 0)} today`,
    top,
    format: inMoney ? formatMoney : formatCount,
    ends: endsOf(days),
    body: html`${bars}`,
  });
}

function drawDepth({ depth }: History): Html {
  const top = chooseTop(
    depth.map(({ waiting }) => waiting),
    4,
  );
  const step = (AREA.right - AREA.left) / Math.max(1, depth.length - 1);
  const points = depth.map(({ waiting }, index) => `${round(AREA.left + index * step)},${toY(waiting, top)}`);
  const outline = `M${points.join('L')}`;
  return drawFrame({
    title: 'Turns waiting for a worker',
    summary: `${depth.at(-1)?.waiting ?? 0} now`,
    top,
    format: formatCount,
    ends: ['a day ago', 'now'],
    body:
      points.length === 0
        ? html``
        : html`<path class="fill" d="${outline}L${AREA.right},${AREA.bottom}L${AREA.left},${AREA.bottom}Z"/><path class="stroke" d="${outline}"/>`,
  });
}

type Bar = {
  days: readonly number[];
  index: number;
  from: number;
  to: number;
  top: number;
  look: 'calm' | 'good' | 'bad';
  text: string;
};

function drawBar({ days, index, from, to, top, look, text }: Bar): Html {
  if (to <= from) return html``;
  const pitch = (AREA.right - AREA.left) / days.length;
  const y = toY(to, top);
  const height = round(toY(from, top) - y);
  const x = round(AREA.left + index * pitch + pitch * 0.15);
  return html`<rect class="${look}" x="${x}" y="${y}" width="${round(pitch * 0.7)}" height="${height}"><title>${formatDay(days[index] ?? 0)}: ${text}</title></rect>`;
}

function endsOf(days: readonly number[]): [string, string] {
  return [formatDay(days[0] ?? 0), 'today'];
}
