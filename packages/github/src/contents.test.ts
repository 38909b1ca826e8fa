import { execFileSync } from 'node:child_process';
import { silentLog } from '@mergexo/core/basics';
import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import { createGitHub, type GitHub } from './create-github.js';

const REPO = 'acme/app';
const DESIGN = 'docs/design/7 größer {a}?#%.md';

describe('files at a ref', () => {
  let twin: Twin;
  let github: GitHub;
  beforeEach(async () => {
    const clock = createManualClock();
    twin = await startTwin({
      seed: {
        users: [{ login: 'acme', type: 'Organization' }, { login: 'alice' }, { login: 'robot' }],
        repos: [
          {
            name: REPO,
            permissions: { alice: 'admin', robot: 'write' },
            files: { [DESIGN]: '---\nstatus: draft\n---\n# Größer\n', 'empty.txt': '' },
          },
        ],
      },
      clock,
    });
    github = createGitHub({
      apiUrl: twin.apiUrl,
      token: async () => twin.tokens['robot'] ?? '',
      writable: [],
      userAgent: 'mergexo-test',
      throttled: false,
      now: () => clock.now(),
      log: silentLog,
    });
  });
  afterEach(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
  });

  const push = (files: Record<string, string | Buffer>) => twin.as('alice').pushFiles(REPO, 'topic', files);

  it('reads a text, whatever its name', async () => {
    expect(await github.fetchFileAt(REPO, DESIGN, 'main')).toBe('---\nstatus: draft\n---\n# Größer\n');
    expect(await github.fetchFileAt(REPO, 'empty.txt', 'main')).toBe('');
  });

  it('reads it as it is in a branch or was in a commit', async () => {
    const first = await push({ 'a.txt': 'first\n' });
    await push({ 'a.txt': 'second\n' });
    expect(await github.fetchFileAt(REPO, 'a.txt', 'topic')).toBe('second\n');
    expect(await github.fetchFileAt(REPO, 'a.txt', first)).toBe('first\n');
    expect(await github.fetchFileAt(REPO, 'a.txt', 'main')).toBeNull();
  });

  it('has nothing where there is no file', async () => {
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

  it('does not call a file missing when the repository is invisible', async () => {
    twin.control.setPermission(REPO, 'robot', null);
    await expect(github.fetchFileAt(REPO, DESIGN, 'main')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it.each(['', '/', '..', 'docs/../../../../user', './docs', 'docs//x', '/etc/passwd', 'docs/'])(
    'asks nothing about %j, which is no place in a repository',
    async (path) => {
      expect(await github.fetchFileAt(REPO, path, 'main')).toBeNull();
      expect(twin.history.list('request')).toEqual([]);
    },
  );

  it('reads a megabyte and not more', async () => {
    await push({ 'fits.txt': 'x'.repeat(1_000_000), 'large.txt': 'x'.repeat(1_000_001) });
    expect(await github.fetchFileAt(REPO, 'fits.txt', 'topic')).toHaveLength(1_000_000);
    await expect(github.fetchFileAt(REPO, 'large.txt', 'topic')).rejects.toMatchObject({
      kind: 'invalid-data',
      message: expect.stringContaining('1000001 bytes'),
    });
  });

  it('does not make up a text of bytes that are none', async () => {
    await push({ 'picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff]) });
    await expect(github.fetchFileAt(REPO, 'picture.png', 'topic')).rejects.toMatchObject({
      kind: 'invalid-data',
    });
  });
});
