import { setTimeout as delay } from 'node:timers/promises';
import { commitFile, mustGit } from '../testing/git.js';
import { makeTempDir } from '../testing/test-twin.js';
import { createBareRepo } from './create-repo.js';
import { createRefReader, moveRef } from './refs.js';

async function makeBare() {
  const bare = makeTempDir();
  await createBareRepo(bare, 'main');
  const clone = makeTempDir();
  await mustGit(clone, 'init', '-q', '-b', 'main');
  const first = await commitFile(clone, 'a', 'a');
  const second = await commitFile(clone, 'a', 'b');
  await mustGit(clone, 'push', '-q', bare, `${first}:refs/heads/main`, `${second}:refs/heads/keep`);
  return { bare, first, second };
}

describe('the refs of a repository', () => {
  it('are noticed whenever they move, however fast, deep or packed', async () => {
    const { bare, first, second } = await makeBare();
    const read = createRefReader(bare);
    expect((await read())['refs/heads/main']).toBe(first);
    for (const [round, sha] of [first, second, first, second].entries()) {
      await mustGit(bare, 'update-ref', `refs/heads/a/deep/name-${round}`, sha);
      await mustGit(bare, 'update-ref', 'refs/heads/main', sha);
      expect(await read()).toMatchObject({
        [`refs/heads/a/deep/name-${round}`]: sha,
        'refs/heads/main': sha,
      });
    }
    await delay(150);
    await read();
    await mustGit(bare, 'pack-refs', '--all');
    await mustGit(bare, 'update-ref', '-d', 'refs/heads/a/deep/name-0');
    expect((await read())['refs/heads/a/deep/name-0']).toBeUndefined();
  });

  it('move only from where they are believed to be', async () => {
    const { bare, first, second } = await makeBare();
    expect(await moveRef(bare, 'refs/heads/main', { before: second, after: second })).toBe(false);
    expect(await moveRef(bare, 'refs/heads/main', { before: first, after: second })).toBe(true);
    expect(await moveRef(bare, 'refs/heads/new', { before: null, after: first })).toBe(true);
    expect(await moveRef(bare, 'refs/heads/new', { before: null, after: first })).toBe(false);
  });
});
