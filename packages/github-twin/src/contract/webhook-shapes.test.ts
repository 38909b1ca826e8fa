import { actingAs } from '../history/history.js';
import { GRANTS, startWithApp } from '../testing/an-app.js';
import { ask } from '../testing/ask.js';
import { startReceiver } from '../testing/hook-receiver.js';
import { at } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';
import { readWebhookShapes } from '../testing/webhook-shapes.js';
import { nodeId } from '../views/user.js';
import { WEBHOOK_DIFFERENCES } from './webhook-differences.js';

const shapes = readWebhookShapes();

/** Creates a function that sends a request, which must succeed, and returns the answer. */
const asking =
  (twin: Twin, as = 'alice') =>
  async (request: string, body?: unknown): Promise<unknown> => {
    const [method = '', path = ''] = request.split(' ');
    const answer = await ask(twin, `${method} ${AT}${path}`, { as, body });
    if (answer.status >= 300) throw new Error(`${request} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };

const numberOf = (body: unknown): number => Number(at(body, 'number'));
const idOf = (body: unknown): number => Number(at(body, 'id'));

async function driveIssues(twin: Twin): Promise<void> {
  const to = asking(twin);
  await to('POST /labels', { name: 'new', color: 'ff0000' });
  const issue = `/issues/${numberOf(await to('POST /issues', { title: 'T', body: 'B' }))}`;
  await to(`POST ${issue}/labels`, { labels: ['new'] });
  await to(`DELETE ${issue}/labels/new`);
  await to('DELETE /labels/new');
  await to(`PATCH ${issue}`, { title: 'U', body: 'C' });
  const comment = `/issues/comments/${idOf(await to(`POST ${issue}/comments`, { body: 'C' }))}`;
  await to(`PATCH ${comment}`, { body: 'D' });
  await to(`DELETE ${comment}`);
  await to(`PATCH ${issue}`, { state: 'closed' });
  await to(`PATCH ${issue}`, { state: 'open' });
  actingAs('alice', () => twin.control.deleteIssue(REPO, 1));
}

async function drivePulls(twin: Twin): Promise<void> {
  const to = asking(twin);
  const bob = twin.as('bob');
  const sha = await bob.pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const opened = await asking(twin, 'bob')('POST /pulls', { title: 'P', head: 'topic', base: 'main' });
  const number = numberOf(opened);
  const [pull, issue] = [`/pulls/${number}`, `/issues/${number}`];
  await to(`POST ${issue}/labels`, { labels: ['bug'] });
  await to(`DELETE ${issue}/labels/bug`);
  await to(`POST ${pull}/requested_reviewers`, { reviewers: ['carol'] });
  await to(`PATCH ${pull}`, { state: 'closed' });
  await to(`PATCH ${pull}`, { state: 'open' });
  const line = { path: 'a.txt', line: 1, body: 'C', commit_id: sha };
  const first = idOf(await to(`POST ${pull}/comments`, line));
  await to(`PATCH /pulls/comments/${first}`, { body: 'D' });
  await to(`DELETE /pulls/comments/${first}`);
  await bob.pushFiles(REPO, 'topic', { 'b.txt': 'b\n' });
  const review = idOf(await to(`POST ${pull}/reviews`, { event: 'APPROVE' }));
  await to(`PUT ${pull}/reviews/${review}/dismissals`, { message: 'M' });
}

const RESOLVE =
  'mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }';

async function driveThread(twin: Twin): Promise<void> {
  const bob = twin.as('bob');
  await bob.pushFiles(REPO, 'talk', { 'd.txt': 'd\n' });
  const number = await bob.openPull(REPO, { title: 'T', head: 'talk', body: 'B' });
  const root = await twin.as('alice').reviewComment(REPO, number, { path: 'd.txt', line: 1, body: 'C' });
  await ask(twin, 'POST /graphql', {
    body: { query: RESOLVE, variables: { id: nodeId('PRRT', root) } },
  });
  const { reviewComments } = twin.world.store;
  const resolved = reviewComments.get(root);
  if (!resolved) throw new Error(`the twin has no review comment ${root}`);
  actingAs('alice', () => reviewComments.put({ ...resolved, resolvedById: null }));
}

async function driveChecks(twin: Twin): Promise<void> {
  const sha = await twin.as('bob').pushFiles(REPO, 'checked', { 'c.txt': 'c\n' });
  await asking(twin)(`POST /statuses/${sha}`, { state: 'success', context: 'ci' });
  const robot = asking(twin, 'robot[bot]');
  const run = idOf(await robot('POST /check-runs', { name: 'lint', head_sha: sha }));
  await robot(`PATCH /check-runs/${run}`, { conclusion: 'success' });
  twin.actions.finish(twin.actions.start(REPO, { branch: 'checked', by: 'bob' }), 'success');
  await twin.as('bob').deleteBranch(REPO, 'checked');
}

async function driveInstallation(hook: { url: string; secret: string }): Promise<void> {
  const { twin, app, jwt } = await startWithApp();
  await ask(twin, 'PATCH /app/hook/config', { token: jwt(), body: hook });
  await twin.as('alice').openIssue(REPO, { title: 'T' });
  app.suspend('acme');
  app.unsuspend('acme');
  app.selectRepositories('acme', []);
  app.selectRepositories('acme', [REPO]);
  app.setPermissions({ ...GRANTS, pages: 'read' });
  app.acceptPermissions('acme');
  app.uninstall('acme');
  app.install('acme', [REPO]);
}

/** `spec/webhook-shapes.json` contains what GitHub sent from 2019 to 2023. */
describe("the twin's deliveries", () => {
  it('have the keys and types of GitHub’s examples, except for the listed differences', async () => {
    const { url, secret, received, events } = await startReceiver('the-secret');
    const twin = await startTestTwin({ webhook: { url, secret } });
    await driveIssues(twin);
    await drivePulls(twin);
    await driveThread(twin);
    await driveChecks(twin);
    await driveInstallation({ url, secret });
    const missing = () => shapes.names.filter((name) => !events().includes(name));
    await waitFor(() => missing().length === 0, 'one delivery for each example').catch(() => {});
    expect(missing()).toEqual([]);
    const differences = new Set<string>();
    for (const [index, name] of events().entries())
      for (const one of shapes.compare(name, received[index]?.payload) ?? []) differences.add(one);
    expect([...differences].filter((one) => !WEBHOOK_DIFFERENCES.has(one)).sort()).toEqual([]);
    expect([...WEBHOOK_DIFFERENCES].filter((one) => !differences.has(one))).toEqual([]);
  });
});
