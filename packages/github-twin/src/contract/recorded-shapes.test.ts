import { startWithApp } from '../testing/an-app.js';
import { ask } from '../testing/ask.js';
import { at } from '../testing/json-fields.js';
import { readRecordings } from '../testing/recorded-shapes.js';
import { AT, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';
import { DIFFERENCES } from './recorded-differences.js';

const recordings = readRecordings();
const seen = new Set<string>();
const differences = new Set<string>();

/** Sends a request and compares its answer with the recorded ones. Returns the body. */
async function compare(
  twin: Twin,
  operation: string,
  { path, body, ...login }: { path: string; body?: unknown; as?: string; token?: string },
): Promise<unknown> {
  const [method = ''] = operation.split(' ');
  const answer = await ask(twin, `${method} ${path}`, { body, ...login });
  const found = recordings.compare(operation, answer.status, answer.text === '' ? undefined : answer.body);
  if (found === undefined) throw new Error(`${operation} answered ${answer.status}: ${answer.text}`);
  seen.add(`${operation} ${answer.status}`);
  for (const one of found) differences.add(one);
  return answer.body;
}

const IN_REPO = '/repos/{owner}/{repo}';
const idOf = (body: unknown): number => Number(at(body, 'id'));

async function driveIssues(twin: Twin): Promise<void> {
  const to = (operation: string, path: string, body?: unknown) => {
    const [method = '', template = ''] = operation.split(' ');
    return compare(twin, `${method} ${IN_REPO}${template}`, { path: `${AT}${path}`, body });
  };
  await to('POST /labels', '/labels', { name: 'new', color: 'ff0000', description: 'A label' });
  await to('GET /labels', '/labels');
  await to('GET /labels/{name}', '/labels/new');
  const number = Number(
    at(await to('POST /issues', '/issues', { title: 'T', body: 'B', labels: ['bug'] }), 'number'),
  );
  await to('GET /issues', '/issues?state=all');
  await to('POST /issues/{issue_number}/labels', `/issues/${number}/labels`, { labels: ['new'] });
  await to('DELETE /issues/{issue_number}/labels/{name}', `/issues/${number}/labels/bug`);
  await to('DELETE /labels/{name}', '/labels/new');
  await to('GET /issues/{issue_number}', `/issues/${number}`);
  const comment = idOf(
    await to('POST /issues/{issue_number}/comments', `/issues/${number}/comments`, { body: 'C' }),
  );
  await to('GET /issues/{issue_number}/comments', `/issues/${number}/comments`);
  for (const [template, path] of [
    ['/issues/{issue_number}', `/issues/${number}`],
    ['/issues/comments/{comment_id}', `/issues/comments/${comment}`],
  ]) {
    const id = idOf(await to(`POST ${template}/reactions`, `${path}/reactions`, { content: 'eyes' }));
    await to(`GET ${template}/reactions`, `${path}/reactions`);
    await to(`DELETE ${template}/reactions/{reaction_id}`, `${path}/reactions/${id}`);
  }
  await to('PATCH /issues/{issue_number}', `/issues/${number}`, { state: 'closed' });
  await to('GET /issues/{issue_number}', `/issues/${number}`);
  await to('GET /issues', '/issues?state=all');
}

async function drivePulls(twin: Twin): Promise<void> {
  const bob = twin.as('bob');
  const sha = await bob.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const to = (operation: string, path: string, body?: unknown, as = 'alice') => {
    const [method = '', template = ''] = operation.split(' ');
    return compare(twin, `${method} ${IN_REPO}${template}`, { path: `${AT}${path}`, body, as });
  };
  const opened = await to(
    'POST /pulls',
    '/pulls',
    { title: 'P', head: 'topic', base: 'main', body: 'B' },
    'bob',
  );
  const number = Number(at(opened, 'number'));
  const pull = `/pulls/${number}`;
  await to('GET /pulls', '/pulls');
  await to('GET /pulls/{pull_number}', pull);
  await to('PATCH /pulls/{pull_number}', pull, { title: 'Q' });
  await to('GET /pulls/{pull_number}/commits', `${pull}/commits`);
  await to('POST /pulls/{pull_number}/requested_reviewers', `${pull}/requested_reviewers`, {
    reviewers: ['carol'],
  });
  const line = { path: 'a.txt', line: 1, body: 'C' };
  const comment = idOf(
    await to('POST /pulls/{pull_number}/comments', `${pull}/comments`, { ...line, commit_id: sha }),
  );
  const one = `/pulls/comments/${comment}`;
  await to('POST /pulls/{pull_number}/comments/{comment_id}/replies', `${pull}/comments/${comment}/replies`, {
    body: 'R',
  });
  await to('GET /pulls/{pull_number}/comments', `${pull}/comments`);
  await to('GET /pulls/comments/{comment_id}', one);
  await to('PATCH /pulls/comments/{comment_id}', one, { body: 'D' });
  const reaction = idOf(
    await to('POST /pulls/comments/{comment_id}/reactions', `${one}/reactions`, { content: 'eyes' }),
  );
  await to('GET /pulls/comments/{comment_id}/reactions', `${one}/reactions`);
  await to('DELETE /pulls/comments/{comment_id}/reactions/{reaction_id}', `${one}/reactions/${reaction}`);
  await to('DELETE /pulls/comments/{comment_id}', one);
  const review = idOf(
    await to('POST /pulls/{pull_number}/reviews', `${pull}/reviews`, { body: 'R', comments: [line] }),
  );
  await to('GET /pulls/{pull_number}/reviews', `${pull}/reviews`);
  const events = `${pull}/reviews/${review}/events`;
  await to('POST /pulls/{pull_number}/reviews/{review_id}/events', events, { event: 'COMMENT', body: 'R' });
  await to('GET /pulls/{pull_number}/reviews/{review_id}/comments', `${pull}/reviews/${review}/comments`);
  await to('GET /pulls/{pull_number}/reviews', `${pull}/reviews`);
  await to('POST /statuses/{sha}', `/statuses/${sha}`, {
    state: 'success',
    context: 'ci',
    description: 'Good',
  });
  await to('GET /commits/{ref}/status', `/commits/${sha}/status`);
  const check = await to('POST /check-runs', '/check-runs', { name: 'lint', head_sha: sha }, 'robot[bot]');
  const done = { status: 'completed', conclusion: 'success' };
  await to('PATCH /check-runs/{check_run_id}', `/check-runs/${idOf(check)}`, done, 'robot[bot]');
  await to('GET /commits/{ref}/check-runs', `/commits/${sha}/check-runs`);
  const run = twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
  twin.actions.finish(run, 'success');
  await to('GET /actions/workflows', '/actions/workflows');
  await to('GET /actions/runs', '/actions/runs');
  await to('GET /actions/runs/{run_id}', `/actions/runs/${run}`);
  await to('GET /actions/runs/{run_id}/jobs', `/actions/runs/${run}/jobs`);
  await to('PUT /pulls/{pull_number}/merge', `${pull}/merge`, { merge_method: 'merge' });
  await to('GET /pulls/{pull_number}', pull);
  await to('GET /issues/{issue_number}', `/issues/${number}`);
}

async function driveGit(twin: Twin): Promise<void> {
  const to = (operation: string, path: string, body?: unknown) => {
    const [method = '', template = ''] = operation.split(' ');
    return compare(twin, `${method} ${IN_REPO}${template}`, { path: `${AT}${path}`, body });
  };
  const sha = await twin.as('bob').pushFiles(REPO, 'other', { 'b.txt': 'b\n' });
  await to('POST /git/refs', '/git/refs', { ref: 'refs/heads/third', sha });
  await to('PATCH /git/refs/{ref}', '/git/refs/heads/third', { sha });
  await to('DELETE /git/refs/{ref}', '/git/refs/heads/third');
  await to('GET /branches', '/branches');
  await to('GET /branches/{branch}', '/branches/other');
  await to('GET /compare/{basehead}', '/compare/main...other');
  await to('GET /commits/{ref}', '/commits/other');
  await to('GET /contents/{path}', '/contents/README.md');
  await to('GET /contents/{path}', '/contents/src');
  await compare(twin, `GET ${IN_REPO}`, { path: AT });
  await compare(twin, 'GET /user', { path: '/user' });
  await compare(twin, 'GET /users/{username}', { path: '/users/bob' });
  await compare(twin, 'GET /', { path: '/' });
}

async function driveApps(): Promise<void> {
  const { twin, app, jwt } = await startWithApp();
  const byApp = (operation: string, path: string) => compare(twin, operation, { path, token: jwt() });
  const installation = `/app/installations/${app.installationId('acme')}`;
  await byApp('GET /app', '/app');
  await byApp('GET /app/installations', '/app/installations');
  await byApp('GET /app/installations/{installation_id}', installation);
  await byApp(`GET ${IN_REPO}/installation`, `${AT}/installation`);
  const path = `${installation}/access_tokens`;
  await byApp('POST /app/installations/{installation_id}/access_tokens', path);
  const token = app.token('acme');
  await compare(twin, 'GET /installation/repositories', { path: '/installation/repositories', token });
}

/** `spec/recorded-shapes.json` contains what GitHub really answered. Only answers since 2024 demand a key. */
describe("the twin's answers", () => {
  it('have the keys and types of recorded answers, except for the listed differences', async () => {
    const twin = await startTestTwin();
    await driveGit(twin);
    await driveIssues(twin);
    await drivePulls(twin);
    await driveApps();
    expect([...differences].filter((one) => !DIFFERENCES.has(one)).sort()).toEqual([]);
    expect([...DIFFERENCES].filter((one) => !differences.has(one))).toEqual([]);
  });

  it('are compared for every recorded operation that the twin has', () => {
    expect(recordings.operations.filter((operation) => !seen.has(operation))).toEqual([]);
  });
});
