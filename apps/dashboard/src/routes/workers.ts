import { readLostWorkers } from '../facts/read-lost-workers.js';
import { readWorkers } from '../facts/read-workers.js';
import { html } from '../html.js';
import { renderPage } from '../pages/layout.js';
import { renderWorkers } from '../pages/workers-page.js';
import type { RouteTools } from './route-tools.js';

export function addWorkersPage({ app, reader }: RouteTools): void {
  app.get('/workers', (_request, response) => {
    const now = reader.now();
    const { chrome, data } = reader.readPage((facts, { countsWorkers }) => ({
      workers: countsWorkers ? readWorkers(facts, now) : undefined,
      lost: readLostWorkers(facts, now),
    }));
    const main = data === undefined ? html`<h1>Workers</h1>` : renderWorkers(data, now);
    response.send(renderPage({ title: 'Workers', here: '/workers', isLive: true, chrome, main }));
  });
}
