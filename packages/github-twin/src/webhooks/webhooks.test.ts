import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { startTwin, type Twin } from '../start/start-twin.js';
import { makeTempDir } from '../testing/test-twin.js';

const SECRET = 'a-secret-of-the-webhook';
const REPO = 'ada/engine';
const SEED = {
  users: [{ login: 'ada' }],
  repos: [{ name: REPO, labels: ['bug'], files: { 'a.txt': '1\n' } }],
};

describe("the twin's webhooks", () => {
  let server: Server;
  let twin: Twin;
  let received: { event: unknown; id: unknown; signed: boolean; payload: Record<string, unknown> }[];
  beforeEach(async () => {
    received = [];
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const digest = createHmac('sha256', SECRET).update(body).digest('hex');
        const { headers } = request;
        received.push({
          event: headers['x-github-event'],
          id: headers['x-github-delivery'],
          signed: headers['x-hub-signature-256'] === `sha256=${digest}`,
          payload: JSON.parse(body.toString()),
        });
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    twin = await startTwin({
      seed: SEED,
      webhook: { url: `http://127.0.0.1:${port}/webhook`, secret: SECRET },
    });
    // The seed's label and push are announced first.
    for (let tries = 0; tries < 500 && !received.some(({ event }) => event === 'push'); tries += 1)
      await new Promise((done) => setTimeout(done, 10));
    received.length = 0;
  });
  afterEach(async () => {
    await twin.stop();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  const announced = () => received.filter(({ event }) => event !== 'push');
  const until = async (count: number) => {
    for (let tries = 0; tries < 500 && announced().length < count; tries += 1)
      await new Promise((done) => setTimeout(done, 10));
  };
  const summary = () => announced().map(({ event, payload }) => [event, payload['action']]);

  it('announce changes with a signature, the repository and the sender', async () => {
    const ada = twin.as('ada');
    const number = await ada.openIssue(REPO, { title: 'Broken', body: 'x' });
    await ada.comment(REPO, number, 'Why?');
    await until(2);
    expect(summary()).toEqual([
      ['issues', 'opened'],
      ['issue_comment', 'created'],
    ]);
    for (const { signed, payload } of announced()) {
      expect(signed).toBe(true);
      expect(payload).toMatchObject({
        repository: { full_name: REPO },
        sender: { login: 'ada', id: twin.userId('ada') },
        issue: { number },
      });
    }
    expect(announced()[1]?.payload).toMatchObject({ comment: { body: 'Why?' } });
  });

  it('name what changed in an issue', async () => {
    const ada = twin.as('ada');
    const number = await ada.openIssue(REPO, { title: 'Broken', body: 'x' });
    const path = `/repos/${REPO}/issues/${number}`;
    await ada.request('POST', `${path}/labels`, { labels: ['bug'] });
    await ada.request('PATCH', path, { title: 'Very broken' });
    await ada.request('DELETE', `${path}/labels/bug`);
    await ada.request('PATCH', path, { state: 'closed' });
    await until(5);
    expect(summary()).toEqual(
      ['opened', 'labeled', 'edited', 'unlabeled', 'closed'].map((action) => ['issues', action]),
    );
  });

  it('announce a dependency for each of the two issues', async () => {
    const ada = twin.as('ada');
    const first = await ada.openIssue(REPO, { title: 'First' });
    const second = await ada.openIssue(REPO, { title: 'Second' });
    await ada.addBlocker(REPO, second, { number: first });
    await ada.removeBlocker(REPO, second, { number: first });
    await until(6);
    expect(summary().slice(2)).toEqual(
      ['blocked_by_added', 'blocking_added', 'blocked_by_removed', 'blocking_removed'].map((action) => [
        'issue_dependencies',
        action,
      ]),
    );
    expect(announced()[2]?.payload).toMatchObject({
      blocked_issue: { number: second },
      blocking_issue: { number: first },
      blocking_issue_repo: { full_name: REPO },
      repository: { full_name: REPO },
      sender: { login: 'ada' },
    });
  });

  it('list the commits of a push, with their files', async () => {
    const ada = twin.as('ada');
    const first = await ada.pushFiles(REPO, 'topic', { 'b.txt': '1\n' });
    const second = await ada.pushFiles(REPO, 'topic', { 'a.txt': '2\n' });
    await ada.deleteBranch(REPO, 'topic');
    for (let tries = 0; tries < 500 && received.length < 3; tries += 1)
      await new Promise((done) => setTimeout(done, 10));
    const none = '0'.repeat(40);
    const ref = 'refs/heads/topic';
    const pusher = { name: 'ada' };
    const added = { id: first, added: ['b.txt'], modified: [], author: { username: 'ada' } };
    const modified = { id: second, added: [], modified: ['a.txt'], removed: [] };
    expect(received.map(({ payload }) => payload)).toMatchObject([
      { ref, before: none, after: first, created: true, commits: [added], head_commit: added, pusher },
      { ref, before: first, after: second, created: false, commits: [modified], head_commit: modified },
      { ref, before: second, after: none, deleted: true, commits: [], head_commit: null },
    ]);
  });

  it('announce the comments of a pending review once it is submitted', async () => {
    const ada = twin.as('ada');
    await ada.pushFiles(REPO, 'topic', { 'b.txt': '1\n' });
    const number = await ada.openPull(REPO, { title: 'T', head: 'topic' });
    const path = `/repos/${REPO}/pulls/${number}/reviews`;
    const comments = [{ path: 'b.txt', line: 1, body: 'Why?' }];
    const { id } = Object(await ada.request('POST', path, { comments }));
    await ada.request('POST', `${path}/${id}/events`, { event: 'COMMENT' });
    await until(3);
    expect(summary()).toEqual([
      ['pull_request', 'opened'],
      ['pull_request_review', 'submitted'],
      ['pull_request_review_comment', 'created'],
    ]);
  });

  it('name the change of an issue that is older than the twin’s last start', async () => {
    const dir = makeTempDir();
    const options = { dir, seed: SEED, webhook: { url: 'http://127.0.0.1:1/', secret: SECRET } };
    const first = await startTwin(options);
    const number = await first.as('ada').openIssue(REPO, { title: 'Broken' });
    await first.stop();
    const second = await startTwin(options);
    await second.as('ada').close(REPO, number);
    for (let tries = 0; tries < 500 && second.webhooks.list().length === 0; tries += 1)
      await new Promise((done) => setTimeout(done, 10));
    await second.stop();
    expect(second.webhooks.list().map(({ event, action }) => [event, action])).toEqual([
      ['issues', 'closed'],
    ]);
  });

  it('can be redelivered with the same id', async () => {
    await twin.as('ada').openIssue(REPO, { title: 'Broken', body: 'x' });
    // The twin lists a delivery once it has been answered.
    const find = () => twin.webhooks?.list().find(({ event }) => event === 'issues');
    for (let tries = 0; tries < 500 && find() === undefined; tries += 1)
      await new Promise((done) => setTimeout(done, 10));
    const delivery = find();
    await twin.webhooks?.redeliver(delivery?.id ?? '');
    await until(2);
    expect(announced()[1]).toEqual(announced()[0]);
  });

  it('are not repeated if nobody responds', async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await twin.as('ada').openIssue(REPO, { title: 'Broken', body: 'x' });
    for (let tries = 0; tries < 500 && twin.webhooks?.list().at(-1)?.event !== 'issues'; tries += 1)
      await new Promise((done) => setTimeout(done, 10));
    expect(twin.webhooks?.list().at(-1)).toMatchObject({ event: 'issues', status: null });
  });
});
