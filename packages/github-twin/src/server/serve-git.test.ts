import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { read } from '../testing/ask.js';
import { commitFile, git, mustGit, withToken } from '../testing/git.js';
import {
  AT,
  makeTempDir,
  PROTECTED_SEED,
  REPO,
  startTestTwin,
  type Twin,
  type TwinOptions,
} from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

async function startWithClone(as = 'bob', options: TwinOptions = {}) {
  const twin = await startTestTwin(options);
  const dir = makeTempDir();
  await mustGit(dir, 'clone', '-q', urlFor(twin, as), 'clone');
  return { twin, clone: path.join(dir, 'clone') };
}

const urlFor = (twin: Twin, login: string) => withToken(twin.gitUrl('acme', 'app'), twin.tokens[login] ?? '');
const remoteHead = (twin: Twin, branch: string) =>
  git(twin.repoDir(REPO), 'rev-parse', '--verify', '-q', `refs/heads/${branch}`);

describe('git over HTTP', () => {
  it('supports clone, push and fetch', async () => {
    const { twin, clone } = await startWithClone();
    expect(fs.readFileSync(path.join(clone, 'README.md'), 'utf8')).toBe('# app\n');
    const sha = await commitFile(clone, 'new.txt', 'new\n');
    await mustGit(clone, 'push', '-q', 'origin', 'HEAD:topic');
    expect(await read(twin, `GET ${AT}/branches/topic`, 'commit', 'sha')).toBe(sha);
    const later = await twin.as('alice').pushFiles(REPO, 'topic', { 'more.txt': 'more\n' });
    await mustGit(clone, 'fetch', '-q', 'origin');
    expect(await mustGit(clone, 'rev-parse', 'origin/topic')).toBe(later);
  });

  it('accepts a large chunked push and a branch deletion', async () => {
    const { twin, clone } = await startWithClone();
    const sha = await commitFile(clone, 'large.bin', randomBytes(4 * 1024 * 1024));
    await mustGit(clone, 'push', '-q', 'origin', 'HEAD:large');
    expect((await remoteHead(twin, 'large')).stdout.trim()).toBe(sha);
    await mustGit(clone, 'push', '-q', 'origin', ':large');
    expect((await remoteHead(twin, 'large')).code).not.toBe(0);
  });

  it('rejects a non-fast-forward push without --force, and records forced pushes', async () => {
    const { twin, clone } = await startWithClone();
    await commitFile(clone, 'a.txt', 'a\n');
    await mustGit(clone, 'push', '-q', 'origin', 'HEAD:topic');
    await mustGit(clone, 'commit', '-q', '--amend', '-m', 'rewritten');
    expect((await git(clone, 'push', 'origin', 'HEAD:topic')).stderr).toContain('non-fast-forward');
    await mustGit(clone, 'push', '-q', '--force', 'origin', 'HEAD:topic');
    const moves = twin.history.list('ref').filter((entry) => entry.ref === 'refs/heads/topic');
    expect(moves.map(({ by, forced }) => [by, forced])).toEqual([
      ['bob', false],
      ['bob', true],
    ]);
    expect(moves.at(-1)?.before).toBe(moves.at(0)?.after);
  });

  it('asks for credentials, rejects pushes by users with read access, and hides private repositories', async () => {
    const { twin, clone } = await startWithClone('carol');
    await commitFile(clone, 'a.txt', 'a\n');
    expect((await git(clone, 'push', 'origin', 'HEAD:topic')).stderr).toContain('403');
    expect((await git(clone, 'ls-remote', twin.gitUrl('acme', 'app'))).stderr).toMatch(
      /could not read Username|Authentication failed/,
    );
    expect((await git(clone, 'ls-remote', withToken(twin.gitUrl('acme', 'app'), 'wrong'))).stderr).toContain(
      'Authentication failed',
    );
    twin.control.setPermission(REPO, 'carol', null);
    expect((await git(clone, 'fetch')).stderr).toContain('not found');
  });

  it('protects a branch from pushes, but not from merges', async () => {
    const { twin, clone } = await startWithClone('alice', { seed: PROTECTED_SEED });
    await commitFile(clone, 'a.txt', 'a\n');
    const refused = await git(clone, 'push', 'origin', 'HEAD:main');
    expect(refused.stderr).toContain('GH006: Protected branch update failed for refs/heads/main');
    await mustGit(clone, 'push', '-q', 'origin', 'HEAD:topic');
    const number = await twin.as('alice').openPull(REPO, { title: 'T', head: 'topic' });
    await twin.as('alice').merge(REPO, number);
    expect(await read(twin, `GET ${AT}/contents/a.txt`, 'name')).toBe('a.txt');
  });

  it('accepts workflow files only from a token with the workflow scope', async () => {
    const { twin, clone } = await startWithClone();
    const { secret } = twin.control.addToken('bob', ['repo']);
    const weak = withToken(twin.gitUrl('acme', 'app'), secret);
    await commitFile(clone, 'plain.txt', 'x\n');
    await mustGit(clone, 'push', '-q', weak, 'HEAD:topic');
    await commitFile(clone, '.github/workflows/ci.yml', 'on: push\n');
    expect((await git(clone, 'push', weak, 'HEAD:topic')).stderr).toContain(
      'refusing to allow a Personal Access Token to create or update workflow `.github/workflows/ci.yml` without `workflow` scope',
    );
    await mustGit(clone, 'push', '-q', 'origin', 'HEAD:topic');
  });

  it('updates pull requests after a push directly into the bare repository', async () => {
    const { twin, clone } = await startWithClone();
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
    const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
    await mustGit(clone, 'fetch', '-q');
    await mustGit(clone, 'checkout', '-q', 'topic');
    const sha = await commitFile(clone, 'b.txt', 'b\n');
    await mustGit(clone, 'push', '-q', twin.repoDir(REPO), 'HEAD:topic');
    await twin.control.noticeRefs(REPO);
    expect(await read(twin, `GET ${AT}/pulls/${number}`, 'head', 'sha')).toBe(sha);
    expect(await mustGit(clone, 'ls-remote', 'origin', `refs/pull/${number}/head`)).toContain(sha);
    expect((await git(clone, 'push', 'origin', `HEAD:refs/pull/${number}/head`)).code).not.toBe(0);
  });
});

describe('faults during a push', () => {
  async function startWithCommit() {
    const { twin, clone } = await startWithClone();
    const sha = await commitFile(clone, 'a.txt', 'a\n');
    const push = () => git(clone, 'push', 'origin', 'HEAD:topic');
    const landed = async () => (await remoteHead(twin, 'topic')).stdout.trim() === sha;
    return { twin, clone, push, landed };
  }

  it.each([
    ['an error before the push is applied', { kind: 'error', status: 503 }, false],
    ['an error after the push was applied', { kind: 'error', status: 502, when: 'after' }, true],
    ['a connection dropped before the push is applied', { kind: 'drop' }, false],
    ['a connection dropped after the push was applied', { kind: 'drop', when: 'after' }, true],
    ['a refusal by a rule', { kind: 'refuse-push' }, false],
    ['an expired token', { kind: 'expired-token' }, false],
  ] as const)(
    '%s makes the push fail, and the branch shows whether the push was applied',
    async (_name, fault, applied) => {
      const { twin, push, landed } = await startWithCommit();
      twin.control.fault({ route: 'GIT push', ...fault });
      expect((await push()).code).not.toBe(0);
      expect(await landed()).toBe(applied);
      expect((await push()).code).toBe(0);
      expect(await landed()).toBe(true);
    },
  );

  it('a hang after the push keeps the client waiting even though the branch has moved', async () => {
    const { twin, push, landed } = await startWithCommit();
    const hang = twin.control.fault({ route: 'GIT push', kind: 'hang', when: 'after' });
    const pushing = push();
    await waitFor(() => hang.waiting() === 1);
    expect(await landed()).toBe(true);
    expect(await read(twin, `GET ${AT}/branches/topic`, 'name')).toBe('topic');
    hang.release();
    expect((await pushing).code).toBe(0);
  });

  it('a hold delays the push until the hold is released', async () => {
    const { twin, push, landed } = await startWithCommit();
    const hold = twin.control.fault({ route: 'GIT push', kind: 'hold' });
    const pushing = push();
    await waitFor(() => hold.waiting() === 1);
    expect(await landed()).toBe(false);
    hold.release();
    expect((await pushing).code).toBe(0);
    expect(await landed()).toBe(true);
  });

  it('a failed fetch transfers nothing', async () => {
    const { twin, clone } = await startWithCommit();
    await twin.as('alice').pushFiles(REPO, 'other', { 'b.txt': 'b\n' });
    twin.control.fault({ route: 'GIT fetch', kind: 'error', status: 500 });
    expect((await git(clone, 'fetch', 'origin')).code).not.toBe(0);
    expect((await git(clone, 'fetch', 'origin')).code).toBe(0);
  });
});
