import { readIssue } from '../facts/issue/read-issue.js';
import { renderIssue } from '../pages/issue-page.js';
import { renderMessage, renderPage } from '../pages/layout.js';
import { STAGES } from '../pages/work-row.js';
import { parseIssueParams } from '../parse-issue-params.js';
import { readSearch } from './read-search.js';
import type { RouteTools } from './route-tools.js';

export function addIssuePage({ app, reader, links }: RouteTools): void {
  app.get('/issues/:owner/:name/:number', (request, response, next) => {
    const params = parseIssueParams(request.params);
    if (params === undefined) return next();
    const { repo, number: asked } = params;
    const all = readSearch(request).has('all');
    const now = reader.now();
    const { chrome, data: details } = reader.readPage((facts) => readIssue(facts, repo, { asked, all, now }));
    if (details === undefined) {
      const text = chrome.problems[0] ?? 'The URL is wrong, or the poller has not polled this issue yet.';
      return response.status(404).send(renderMessage('Issue not found', text, chrome));
    }
    if (asked !== details.issue) return response.redirect(302, `/issues/${details.repo}/${details.issue}`);
    const stage = details.now.work?.stage;
    const state = stage === undefined ? '' : `${STAGES[stage].name}: `;
    response.send(
      renderPage({
        title: `${state}${details.title || 'Issue'} · ${details.repo}#${details.issue}`,
        isLive: true,
        chrome,
        main: renderIssue({ details, now, all }, links),
      }),
    );
  });
}
