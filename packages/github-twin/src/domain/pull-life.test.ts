import { ask, read } from '../testing/ask.js';
import { git, mustGit } from '../testing/git.js';
import { at } from '../testing/json-fields.js';
import { AT, moveRefBehind, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';

async function openTopic(twin: Twin, body = '', files: Record<string, string> = { 'a.txt': 'a\n' }) {
  await twin.as('bob').push(REPO, { branch: 'topic', files, message: 'Change things' });
  return twin.as('bob').openPull(REPO, { title: 'Topic', head: 'topic', body });
}

const field = (twin: Twin, number: number, ...keys: string[]) =>
  read(twin, `GET ${AT}/pulls/${number}`, ...keys);
async function commitTree(twin: Twin, tree: string, ...parents: string[]): Promise<string> {
  const args = parents.flatMap((parent) => ['-p', parent]);
  return bare(twin, 'commit-tree', tree, ...args, '-m', 'written by hand');
}
const bare = (twin: Twin, ...args: string[]) => mustGit(twin.repoDir(REPO), ...args);

describe('merging', () => {
  it.each([
    ['merge', 2, 'Merge pull request #2 from acme/topic'],
    ['squash', 1, 'Change things (#2)'],
  ] as const)(
    'by %s creates a real commit with %i parent(s) on the base branch',
    async (method, parents, subject) => {
      const twin = await startTestTwin();
      const issue = await twin.as('alice').openIssue(REPO, { title: 'Bug' });
      const number = await openTopic(twin, `Fixes #${issue}`);
      await twin.as('alice').pushFiles(REPO, 'main', { 'other.txt': 'x\n' });
      const sha = await twin.as('alice').merge(REPO, number, method);
      expect(await bare(twin, 'rev-parse', 'main')).toBe(sha);
      expect((await bare(twin, 'log', '-1', '--format=%P', sha)).split(' ')).toHaveLength(parents);
      expect(await bare(twin, 'log', '-1', '--format=%s', sha)).toBe(subject);
      expect(await bare(twin, 'ls-tree', '--name-only', sha)).toBe('README.md\na.txt\nother.txt\nsrc');
      const pull = await ask(twin, `GET ${AT}/pulls/${number}`);
      expect([
        at(pull.body, 'merged'),
        at(pull.body, 'merge_commit_sha'),
        at(pull.body, 'merged_by', 'login'),
      ]).toEqual([true, sha, 'alice']);
      expect(at(pull.body, 'changed_files')).toBe(1);
      expect(await read(twin, `GET ${AT}/issues/${issue}`, 'state')).toBe('closed');
    },
  );

  it('returns 405 for a conflict, a draft or a repeated merge, and 409 for another head', async () => {
    const twin = await startTestTwin();
    const number = await openTopic(twin, '', { 'README.md': '# theirs\n' });
    const merge = async (body: object = {}) =>
      (await ask(twin, `PUT ${AT}/pulls/${number}/merge`, { body })).status;
    expect(await merge({ sha: 'a'.repeat(40) })).toBe(409);
    await twin.as('alice').pushFiles(REPO, 'main', { 'README.md': '# ours\n' });
    expect([await field(twin, number, 'mergeable'), await field(twin, number, 'mergeable_state')]).toEqual([
      false,
      'dirty',
    ]);
    expect(await merge()).toBe(405);
    await twin.as('bob').forcePush(REPO, 'topic', { 'b.txt': 'b\n' });
    expect([await merge(), await merge()]).toEqual([200, 405]);
    await twin.as('bob').pushFiles(REPO, 'draft', { 'd.txt': 'd\n' });
    const draft = await twin.as('bob').openPull(REPO, { title: 'D', head: 'draft', draft: true });
    expect((await ask(twin, `PUT ${AT}/pulls/${draft}/merge`, { body: {} })).status).toBe(405);
  });

  it('closes issues named in commit messages once the commits reach the default branch', async () => {
    const twin = await startTestTwin();
    const issue = await twin.as('alice').openIssue(REPO, { title: 'Bug' });
    await twin
      .as('bob')
      .push(REPO, { branch: 'topic', files: { 'a.txt': 'a\n' }, message: `Repair\n\nCloses #${issue}` });
    expect(await read(twin, `GET ${AT}/issues/${issue}`, 'state')).toBe('open');
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await twin.as('alice').merge(REPO, number);
    expect(await read(twin, `GET ${AT}/issues/${issue}`, 'state')).toBe('closed');
  });
});

describe('a pull request after pushes to its branches', () => {
  it('is merged when its commits are pushed to the base', async () => {
    const twin = await startTestTwin();
    const issue = await twin.as('alice').openIssue(REPO, { title: 'Bug' });
    const number = await openTopic(twin, `Resolves #${issue}`);
    await moveRefBehind(twin, 'refs/heads/main', 'refs/heads/topic');
    expect([await field(twin, number, 'merged'), await field(twin, number, 'changed_files')]).toEqual([
      true,
      1,
    ]);
    expect(await read(twin, `GET ${AT}/issues/${issue}`, 'state')).toBe('closed');
  });

  it('is merged when one push adds its commits to the base and deletes its branch', async () => {
    const twin = await startTestTwin();
    const number = await openTopic(twin);
    const tree = await bare(twin, 'rev-parse', 'topic^{tree}');
    const merge = await commitTree(twin, tree, 'main', 'topic');
    const later = await commitTree(twin, tree, merge);
    await bare(twin, 'update-ref', 'refs/heads/main', later);
    await moveRefBehind(twin, '-d', 'refs/heads/topic');
    expect([
      await field(twin, number, 'merged'),
      await field(twin, number, 'merge_commit_sha'),
      await field(twin, number, 'changed_files'),
    ]).toEqual([true, merge, 1]);
  });

  it('keeps its mergeability when it is closed without a merge', async () => {
    const twin = await startTestTwin();
    const number = await openTopic(twin);
    const sha = await field(twin, number, 'merge_commit_sha');
    await twin.as('bob').close(REPO, number);
    const found = ['mergeable', 'mergeable_state', 'merge_commit_sha'] as const;
    const closed = await Promise.all(found.map((name) => field(twin, number, name)));
    expect(closed).toEqual([true, 'clean', sha]);
  });

  it('has a test merge commit while it is open and mergeable', async () => {
    const twin = await startTestTwin();
    const number = await openTopic(twin);
    const sha = String(await field(twin, number, 'merge_commit_sha'));
    expect((await bare(twin, 'log', '-1', '--format=%P', sha)).split(' ')).toEqual([
      await bare(twin, 'rev-parse', 'main'),
      await field(twin, number, 'head', 'sha'),
    ]);
    expect(await read(twin, `GET ${AT}/pulls`, 0, 'merge_commit_sha')).toBe(sha);
    await twin.as('alice').pushFiles(REPO, 'main', { 'a.txt': 'conflict\n' });
    expect(await field(twin, number, 'merge_commit_sha')).toBeNull();
  });

  it('is closed if its branch is deleted or reset into the base, and can be reopened once the branch is restored', async () => {
    const twin = await startTestTwin();
    const number = await openTopic(twin);
    const head = await field(twin, number, 'head', 'sha');
    await twin.as('bob').deleteBranch(REPO, 'topic');
    expect([await field(twin, number, 'state'), await field(twin, number, 'merged')]).toEqual([
      'closed',
      false,
    ]);
    expect((await ask(twin, `PATCH ${AT}/pulls/${number}`, { body: { state: 'open' } })).status).toBe(422);
    await moveRefBehind(twin, 'refs/heads/topic', String(head));
    await twin.as('bob').reopen(REPO, number);
    expect(await field(twin, number, 'state')).toBe('open');
    await moveRefBehind(twin, 'refs/heads/topic', 'refs/heads/main');
    expect(await field(twin, number, 'state')).toBe('closed');
  });

  it('has a new updated_at and heads that can be compared; a comparison with an unrelated commit returns 404', async () => {
    const twin = await startTestTwin();
    const number = await openTopic(twin);
    const before = String(await field(twin, number, 'updated_at'));
    twin.control.advance(5_000);
    const first = String(await field(twin, number, 'head', 'sha'));
    const second = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'b\n' });
    expect(String(await field(twin, number, 'updated_at')) > before).toBe(true);
    const other = await twin.as('bob').forcePush(REPO, 'topic', { 'z.txt': 'z\n' });
    const status = (basehead: string) => read(twin, `GET ${AT}/compare/${basehead}`, 'status');
    expect(
      await Promise.all([
        status(`${first}...${second}`),
        status(`${second}...${first}`),
        status(`${second}...${other}`),
        status(`${first}...${first}`),
      ]),
    ).toEqual(['ahead', 'behind', 'diverged', 'identical']);
    const tree = await bare(twin, 'rev-parse', 'main^{tree}');
    const orphan = (await git(twin.repoDir(REPO), 'commit-tree', tree, '-m', 'orphan')).stdout.trim();
    expect((await ask(twin, `GET ${AT}/compare/main...${orphan}`)).status).toBe(404);
  });
});
