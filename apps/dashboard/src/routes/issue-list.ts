import { buildIssueUrl, parseIssueQuery } from '../facts/issue-query.js';
import { readIssueList } from '../facts/read-issue-list.js';
import { html } from '../html.js';
import { renderIssueList } from '../pages/issue-list-page.js';
import { renderPage } from '../pages/layout.js';
import { readSearch } from './read-search.js';
import type { RouteTools } from './route-tools.js';

export function addIssueList({ app, reader, links }: RouteTools): void {
  app.get('/issues', (request, response) => {
    const params = readSearch(request);
    const query = parseIssueQuery(params);
    // A submitted form has empty fields. The redirect leads to a short URL that people can share.
    if (params.has('order')) return response.redirect(302, buildIssueUrl(query));
    const { chrome, data: list } = reader.readPage((facts) => readIssueList(facts, query));
    const main =
      list === undefined ? html`<h1>Issues</h1>` : renderIssueList({ list, query, now: reader.now() }, links);
    response.send(renderPage({ title: 'Issues', here: '/issues', chrome, main }));
  });
}
