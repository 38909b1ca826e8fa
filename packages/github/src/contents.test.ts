import { execFileSync } from 'node:child_process';
import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import type { GitHub } from './create-github.js';
import { aGitHubClient, aSeed, REPO } from './testing/a-github-client.js';

const DESIGN = 'docs/design/7 größer {a}?#%.md';

describe('the client for files at a ref', () => {
  let twin: Twin;
  let github: GitHub;
  beforeEach(async () => {
    const files = { [DESIGN]: '---\nstatus: draft\n---\n# Größer\n', 'empty.txt': '' };
    twin = await startTwin({ seed: aSeed({ files }), clock: createManualClock() });
    github = aGitHubClient(twin, { writable: [] });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const push = (files: Record<string, string | Buffer>) => twin.as('alice').pushFiles(REPO, 'topic', files);

  it('reads a text file with any name', async () => {
    expect(await github.fetchFileAt(REPO, DESIGN, 'main')).toBe('---\nstatus: draft\n---\n# Größer\n');
    expect(await github.fetchFileAt(REPO, 'empty.txt', 'main')).toBe('');
  });

  it('reads a file at a branch or at a commit', async () => {
    const first = await push({ 'a.txt': 'first\n' });
    await push({ 'a.txt': 'second\n' });
    expect(await github.fetchFileAt(REPO, 'a.txt', 'topic')).toBe('second\n');
    expect(await github.fetchFileAt(REPO, 'a.txt', first)).toBe('first\n');
    expect(await github.fetchFileAt(REPO, 'a.txt', 'main')).toBeNull();
  });

  it('returns null if there is no file', async () => {
    const git = (args: string[], input = '') =>
      execFileSync('git', ['-C', twin.repoDir(REPO), ...args], { input, encoding: 'utf8' }).trim();
    const target = git(['hash-object', '-w', '--stdin'], '../outside');
    const tree = git(['mktree'], `120000 blob ${target}\tlink\n`);
    const who = ['-c', 'user.name=alice', '-c', 'user.email=alice@example.com'];
    git(['update-ref', 'refs/heads/links', git([...who, 'commit-tree', tree, '-m', 'Link'])]);
    expect(await github.fetchFileAt(REPO, 'link', 'links')).toBeNull();
    expect(await github.fetchFileAt(REPO, 'docs/design', 'main')).toBeNull();
    expect(await github.fetchFileAt(REPO, 'docs/none.md', 'main')).toBeNull();
    expect(await github.fetchFileAt(REPO, DESIGN, 'no-such-branch')).toBeNull();
  });

  it('fails instead of returning null if the repository is invisible', async () => {
    twin.control.setPermission(REPO, 'robot', null);
    await expect(github.fetchFileAt(REPO, DESIGN, 'main')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it.each(['', '/', '..', 'docs/../../../../user', './docs', 'docs//x', '/etc/passwd', 'docs/'])(
    'sends no request for %j, which is not a path in a repository',
    async (path) => {
      expect(await github.fetchFileAt(REPO, path, 'main')).toBeNull();
      expect(twin.history.list('request')).toEqual([]);
    },
  );

  it('reads at most 1 MB', async () => {
    await push({ 'fits.txt': 'x'.repeat(1_000_000), 'large.txt': 'x'.repeat(1_000_001) });
    expect(await github.fetchFileAt(REPO, 'fits.txt', 'topic')).toHaveLength(1_000_000);
    await expect(github.fetchFileAt(REPO, 'large.txt', 'topic')).rejects.toMatchObject({
      kind: 'invalid-data',
      message: expect.stringContaining('1000001 bytes'),
    });
  });

  it('fails for bytes that are not UTF-8', async () => {
    await push({ 'picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) });
    await expect(github.fetchFileAt(REPO, 'picture.png', 'topic')).rejects.toMatchObject({
      kind: 'invalid-data',
    });
  });
});
