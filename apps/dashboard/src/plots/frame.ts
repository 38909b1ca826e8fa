import { type Html, html } from '../html.js';

export const WIDTH = 360;
export const HEIGHT = 150;
/** The plot area, without the axis labels. */
export const AREA = { left: 44, right: 352, top: 12, bottom: 126 } as const;

export type Plot = {
  title: string;
  /** Text next to the title. */
  summary: string;
  /** Value at the top of the scale. */
  top: number;
  format: (value: number) => string;
  /** Labels at the left and right ends of the axis. */
  ends: readonly [string, string];
  body: Html;
};

/** Draws the frame that all plots share. The stylesheet sets the colors, so that light and dark themes work. */
export function drawFrame({ title, summary, top, format, ends, body }: Plot): Html {
  const middle = (AREA.top + AREA.bottom) / 2;
  const lines = [
    { y: AREA.top, value: top },
    { y: middle, value: top / 2 },
    { y: AREA.bottom, value: 0 },
  ];
  return html`<figure class="plot">
<figcaption><b>${title}</b> <span class="quiet">${summary}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}: ${summary}">
${lines.map(
  ({ y, value }) => html`<line class="grid" x1="${AREA.left}" x2="${AREA.right}" y1="${y}" y2="${y}"/>
<text class="tick" x="${AREA.left - 6}" y="${y + 3.5}" text-anchor="end">${format(value)}</text>`,
)}
${body}
<text class="tick" x="${AREA.left}" y="${HEIGHT - 8}">${ends[0]}</text>
<text class="tick" x="${AREA.right}" y="${HEIGHT - 8}" text-anchor="end">${ends[1]}</text>
</svg>
</figure>`;
}

export function toY(value: number, top: number): number {
  return round(AREA.bottom - (value / top) * (AREA.bottom - AREA.top));
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/**
 * Chooses the top of the scale. Rounds up to 1, 2, 4 or 10 times a power of ten, so that the top and middle labels are
 * easy to read.
 */
export function chooseTop(values: readonly number[], least: number): number {
  const highest = Math.max(least, ...values);
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = [1, 2, 4, 10].find((factor) => factor * power >= highest) ?? 10;
  return step * power;
}

const TIMES = [60, 120, 240, 600, 1_200, 3_600, 7_200, 14_400, 43_200, 86_400, 172_800];

/** Chooses the top of a time scale. Rounds seconds up to a familiar number of minutes, hours or days. */
export function chooseTopSeconds(values: readonly number[]): number {
  const highest = Math.max(0, ...values);
  return TIMES.find((time) => time >= highest) ?? chooseTop([highest / 86_400], 1) * 86_400;
}
