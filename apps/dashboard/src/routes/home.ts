import { readHome } from '../facts/home/read-home.js';
import { html } from '../html.js';
import { renderHome } from '../pages/home-page.js';
import { renderPage } from '../pages/layout.js';
import type { RouteTools } from './route-tools.js';

export function addHomePage({ app, reader, links }: RouteTools): void {
  app.get('/', async (_request, response) => {
    const now = reader.now();
    const { chrome, data } = reader.readPage((facts, health) => ({
      home: readHome(facts, now),
      health,
      now,
    }));
    const queues = await reader.findQueueProblem();
    const problems = queues === undefined ? chrome.problems : [...chrome.problems, queues];
    response.send(
      renderPage({
        title: 'Home',
        here: '/',
        isLive: true,
        chrome: { ...chrome, problems },
        main: data === undefined ? html`<h1>Home</h1>` : renderHome(data, links),
      }),
    );
  });
}
