import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git, write } from '../testing/shell.js';
import { BRANCH, makeWorld, TRAILER, type World } from '../testing/world.js';

describe('commitFile', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');
  const request = (startSha: string, path = 'docs/design/7-crash.md') => ({
    startSha,
    path,
    content: '# Design\n',
    message: 'docs: add design',
    trailer: TRAILER,
  });

  it.each<[string, (path: string) => void]>([
    ['nothing', () => {}],
    [
      'its own commits, edits and files',
      (path) => {
        commit(path, { 'src/a.txt': 'secret\n', 'docs/design/7-crash.md': 'mine\n' }, 'Mine');
        write(path, { 'src/b.txt': 'edited\n', 'new.txt': 'x\n', 'docs/other.md': 'x\n' });
      },
    ],
    ['another history', (path) => git(path, 'checkout', '-q', '--orphan', 'fresh')],
    ['no repository', (path) => rmSync(join(path, '.git'), { recursive: true })],
    ['a link among the folders', (path) => symlinkSync('/tmp', join(path, 'docs'))],
  ])('commits only this file if the agent left %s', async (_name, leave) => {
    const { slot, head } = await world.start();
    leave(slot.path);
    const collected = await slot.commitFile(request(head));
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(collected.commits).toEqual([collected.sha]);
    expect(collected.files).toEqual([{ path: 'docs/design/7-crash.md', status: 'added' }]);
    expect(git(trusted(), 'log', '--format=%s', collected.sha)).toBe('docs: add design\nFirst');
    expect(git(trusted(), 'log', '-1', '--format=%P|%b', collected.sha)).toBe(`${head}|${TRAILER}`);
    await slot.prepareTests(collected.sha);
    expect(readFileSync(join(slot.path, 'docs/design/7-crash.md'), 'utf8')).toBe('# Design\n');
    expect(existsSync(join(slot.path, 'new.txt'))).toBe(false);
    const { sha, bundle } = collected;
    const plan = { branch: BRANCH, startSha: head, sha, bundle };
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
    expect(git(world.remote, 'log', '--format=%s', BRANCH)).toBe('docs: add design\nFirst');
  });

  it('makes no commit if the file already has this content', async () => {
    commit(world.clone, { 'docs/design/7-crash.md': '# Design\n' });
    git(world.clone, 'push', '-q', 'origin', 'main');
    const { slot, head } = await world.start();
    expect(await slot.commitFile(request(head))).toEqual({ kind: 'empty' });
  });

  it.each(['../x.md', '/x.md', '.git/x', 'a/.GIT/config', 'src/a.txt/x.md', '', 'a\0b', 'src'])(
    'refuses the path %j',
    async (path) => {
      const { slot, head } = await world.start();
      expect(await slot.commitFile(request(head, path))).toMatchObject({ kind: 'invalid' });
    },
  );

  it('refuses a path below a link on the base branch', async () => {
    symlinkSync('src', join(world.clone, 'docs'));
    commit(world.clone, {});
    git(world.clone, 'push', '-q', 'origin', 'main');
    const { slot, head } = await world.start();
    expect(await slot.commitFile(request(head))).toMatchObject({ kind: 'invalid' });
  });

  it('accepts any name and any bytes', async () => {
    const { slot, head } = await world.start();
    const content = Buffer.from([0, 255, 13, 10]);
    const collected = await slot.commitFile({ ...request(head, '-x,y ü.md'), content });
    expect(collected).toMatchObject({ files: [{ path: '-x,y ü.md', status: 'added' }] });
    if (collected.kind !== 'collected') throw new Error(collected.kind);
    await slot.prepareTests(collected.sha);
    expect(readFileSync(join(slot.path, '-x,y ü.md'))).toEqual(content);
  });
});
