import { type Range, readSeries } from '../facts/charts/read-series.js';
import { html } from '../html.js';
import { renderActivity } from '../pages/activity-page.js';
import { renderPage } from '../pages/layout.js';
import { readSearch } from './read-search.js';
import type { RouteTools } from './route-tools.js';

export function addActivityPage({ app, reader }: RouteTools): void {
  app.get('/activity', (request, response) => {
    const range = parseRange(readSearch(request).get('range'));
    const { chrome, data } = reader.readPage((facts) => readSeries(facts, { range, now: reader.now() }));
    const main = data === undefined ? html`<h1>Activity</h1>` : renderActivity(data);
    response.send(renderPage({ title: 'Activity', here: '/activity', chrome, main }));
  });
}

function parseRange(text: string | null): Range {
  const ranges: readonly Range[] = ['hours', 'days', 'weeks'];
  return ranges.find((range) => range === text) ?? 'days';
}
