import fs from 'node:fs';
import path from 'node:path';
import { findOnPath, onlyWith } from '@mergexo/testkit';
import { run } from '../testing/git.js';
import { at } from '../testing/json-fields.js';
import { makeTempDir, REPO, startTestTwin } from '../testing/test-twin.js';

const missing = findOnPath('gh') === undefined ? 'gh is not installed' : undefined;

/** Runs gh against a twin on a unix socket, which gh treats as api.github.com. */
async function startWithGh() {
  const dir = makeTempDir();
  const socket = path.join(dir, 's');
  const twin = await startTestTwin({ socket });
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    GH_CONFIG_DIR: path.join(dir, 'gh'),
    GH_TOKEN: twin.tokens['alice'] ?? '',
    GH_REPO: REPO,
    GH_PROMPT_DISABLED: '1',
    GH_NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
  };
  const gh = async (...args: string[]) => {
    const { code, stdout, stderr } = await run('gh', args, { cwd: dir, env });
    if (code !== 0) throw new Error(`gh ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  await gh('config', 'set', 'http_unix_socket', socket);
  return { twin, gh, dir };
}

onlyWith(missing).describe('the real gh program', () => {
  it('logs in, and reads all pages of a list through gh api', async () => {
    const { twin, gh } = await startWithGh();
    expect(await gh('api', 'user', '-q', '.login')).toBe('alice');
    const number = await twin.as('bob').openIssue(REPO, { title: 'Long' });
    for (let index = 0; index < 5; index += 1) await twin.as('bob').comment(REPO, number, `c${index}`);
    const bodies = await gh(
      'api',
      `repos/${REPO}/issues/${number}/comments?per_page=2`,
      '--paginate',
      '-q',
      '.[].body',
    );
    expect(bodies.split('\n')).toEqual(['c0', 'c1', 'c2', 'c3', 'c4']);
  });

  it('writes through gh api', async () => {
    const { twin, gh } = await startWithGh();
    const number = await gh(
      'api',
      `repos/${REPO}/issues`,
      '-f',
      'title=From gh',
      '-f',
      'labels[]=bug',
      '-q',
      '.number',
    );
    await gh('api', `repos/${REPO}/issues/${number}/comments`, '-f', 'body=hello');
    expect(
      await gh('api', `repos/${REPO}/issues/${number}`, '-q', '[.title, .labels[0].name, .comments] | @csv'),
    ).toBe('"From gh","bug",1');
    expect(twin.history.list('request').filter(({ method }) => method === 'POST')).toHaveLength(2);
  });

  it('accepts a token with the scopes that gh requires', async () => {
    const { gh } = await startWithGh();
    // `gh auth status` fails if the token lacks a scope that gh requires.
    await expect(gh('auth', 'status')).resolves.toEqual(expect.any(String));
  });

  it('sends JSON from a file, a reply by in_reply_to and a conditional read, as scripts do', async () => {
    const { twin, gh, dir } = await startWithGh();
    const send = async (method: string, route: string, body: object): Promise<unknown> => {
      const file = path.join(dir, 'body.json');
      fs.writeFileSync(file, JSON.stringify(body));
      return JSON.parse(await gh('api', '--method', method, `/repos/${REPO}${route}`, '--input', file));
    };
    const issue = await twin.as('alice').openIssue(REPO, { title: 'Broken' });
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'first\n' });
    const pull = { title: 'Fix it', head: 'topic', base: 'main', body: `Fixes #${issue}`, draft: false };
    const number = Number(at(await send('POST', '/pulls', pull), 'number'));
    const place = { path: 'a.txt', line: 1, body: 'why' };
    const first = await twin.as('bob').reviewComment(REPO, number, place);
    const reply = await send('POST', `/pulls/${number}/comments`, { body: 'because', in_reply_to: first });
    expect([at(reply, 'in_reply_to_id'), at(reply, 'path'), at(reply, 'line')]).toEqual([first, 'a.txt', 1]);
    await send('POST', `/issues/${number}/comments`, { body: 'done' });

    const comments = ['--include', `/repos/${REPO}/pulls/${number}/comments?per_page=100&page=1`];
    const page = await gh('api', '--method', 'GET', ...comments);
    const etag = /^etag: (.*?)\r?$/im.exec(page)?.[1] ?? '';
    expect(page).toMatch(/^HTTP\/\S+ 200/);
    await expect(
      gh('api', '--method', 'GET', '--header', `If-None-Match: ${etag}`, ...comments),
    ).rejects.toThrow('HTTP 304');
    await twin.as('alice').merge(REPO, number);
    expect(await gh('api', `repos/${REPO}/issues/${issue}`, '-q', '.state')).toBe('closed');
  });

  it('shows a diff, the workflow runs and the current login', async () => {
    const { twin, gh } = await startWithGh();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'first\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    const runId = twin.actions.start(REPO, { branch: 'topic', by: 'bob' });
    twin.actions.finish(runId, 'failure');
    expect(
      await gh('api', `repos/${REPO}/pulls/${number}`, '-H', 'Accept: application/vnd.github.diff'),
    ).toContain('+first');
    expect(await gh('pr', 'diff', String(number))).toContain('+first');
    expect(await gh('run', 'list', '--json', 'databaseId,conclusion,headBranch')).toBe(
      `[{"conclusion":"failure","databaseId":${runId},"headBranch":"topic"}]`,
    );
  });

  it('lists review threads through GraphQL, and resolves a thread', async () => {
    const { twin, gh } = await startWithGh();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'first\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await twin.as('alice').reviewComment(REPO, number, { path: 'a.txt', line: 1, body: 'why' });
    const threads = `repository(owner: "acme", name: "app") { pullRequest(number: ${number}) { reviewThreads(first: 9) { nodes { id isResolved } } } }`;
    const id = await gh(
      'api',
      'graphql',
      '-f',
      `query={ ${threads} }`,
      '-q',
      '.data.repository.pullRequest.reviewThreads.nodes[0].id',
    );
    await gh(
      'api',
      'graphql',
      '-f',
      'query=mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }',
      '-f',
      `id=${id}`,
    );
    const state = await gh(
      'api',
      'graphql',
      '-f',
      `query={ ${threads} }`,
      '-q',
      '.data.repository.pullRequest.reviewThreads.nodes[0].isResolved',
    );
    expect(state).toBe('true');
  });
});
