import { parseCostQuery, readCostRows, readCosts } from '../facts/read-costs.js';
import { html } from '../html.js';
import { renderCosts } from '../pages/costs-page.js';
import { renderPage } from '../pages/layout.js';
import { renderCostsCsv } from '../render-costs-csv.js';
import { readSearch } from './read-search.js';
import type { RouteTools } from './route-tools.js';

export function addCostPages({ app, reader }: RouteTools): void {
  app.get('/costs', (request, response) => {
    const query = parseCostQuery(readSearch(request));
    const { chrome, data: costs } = reader.readPage((facts) => readCosts(facts, query, reader.now()));
    const main = costs === undefined ? html`<h1>Cost</h1>` : renderCosts({ costs, query });
    response.send(renderPage({ title: 'Cost', here: '/costs', chrome, main }));
  });
  app.get('/costs.csv', (request, response) => {
    const query = parseCostQuery(readSearch(request));
    const rows = reader.readState((facts) => readCostRows(facts, query, reader.now())) ?? [];
    response
      .type('text/csv; charset=utf-8')
      .attachment(`mergexo-cost-by-${query.by}-${query.days}-days.csv`)
      .send(renderCostsCsv(rows));
  });
}
