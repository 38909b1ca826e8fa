import { readRepositories } from '../facts/read-repositories.js';
import { html } from '../html.js';
import { renderPage } from '../pages/layout.js';
import { renderRepositories } from '../pages/repositories-page.js';
import type { RouteTools } from './route-tools.js';

export function addRepositoriesPage({ app, reader }: RouteTools): void {
  app.get('/repositories', (_request, response) => {
    const now = reader.now();
    const { chrome, data } = reader.readPage((facts, health) =>
      readRepositories(facts, { health, pollIntervalMs: reader.pollIntervalMs, now }),
    );
    const main = data === undefined ? html`<h1>Repositories</h1>` : renderRepositories(data, now);
    response.send(renderPage({ title: 'Repositories', here: '/repositories', isLive: true, chrome, main }));
  });
}
