import type { Range, Series } from '../facts/charts/read-series.js';
import { type Html, html } from '../html.js';
import { drawPlots } from '../plots/draw-plots.js';

const RANGE_NAMES: Readonly<Record<Range, string>> = {
  hours: '24 hours',
  days: '14 days',
  weeks: '12 weeks',
};

/** Renders the charts for the last hours, days or weeks. */
export function renderActivity(series: Series): Html {
  const ranges: readonly Range[] = ['hours', 'days', 'weeks'];
  return html`<h1>Activity</h1>
<nav class="tabs" aria-label="Time range">${ranges.map((range) => html`<a href="/activity?range=${range}"${range === series.range && html` aria-current="page"`}>${RANGE_NAMES[range]}</a>`)}</nav>
${drawPlots(series)}`;
}
