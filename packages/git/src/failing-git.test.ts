import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createFailingGit, type FailingGit } from './testing/failing-git.js';
import { commit, git, write } from './testing/shell.js';
import { BRANCH, makeWorld, NEW_BRANCH, TRAILER, type World } from './testing/world.js';

describe('when git itself fails, MergeXO', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let failing: FailingGit;
  let world: World;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    failing = createFailingGit(directory.path);
    world = makeWorld({ searchPath: failing.searchPath });
  });
  afterEach(async () => {
    failing.recover();
    await world.remove();
    directory.remove();
  });

  const mirror = () => join(world.baseDir, 'repos/acme/app.git');

  async function makePlan(startSha: string | null = null) {
    const slot = await world.lease();
    const restored = await slot.restore({ ...NEW_BRANCH, startSha });
    if (restored.kind !== 'ready') throw new Error(restored.kind);
    write(slot.path, { 'src/a.txt': `${startSha}\n` });
    const collected = await slot.collect({ startSha: restored.head, message: 'x', trailer: TRAILER });
    if (collected.kind !== 'collected') throw new Error(collected.kind);
    await slot.release();
    return { branch: BRANCH, startSha: restored.head, sha: collected.sha, bundle: collected.bundle };
  }

  it('keeps the mirror that slots borrow from until a new one is complete', async () => {
    const { slot, head } = await world.start();
    const lost = commit(world.clone, { 'src/lost.txt': 'x\n' });
    git(world.clone, 'push', '-q', 'origin', 'main:other');
    await slot.restore(NEW_BRANCH);
    failing.fail('fetch', 'echo "fatal: something nobody has heard of" >&2; exit 128');
    await expect(slot.restore(NEW_BRANCH)).rejects.toMatchObject({ name: 'Failure' });
    expect(git(mirror(), 'rev-parse', 'main')).toBe(head);
    expect(git(mirror(), 'cat-file', '-t', lost)).toBe('commit');
    expect(existsSync(`${mirror()}~new`)).toBe(false);
  });

  it.each(['merge-base', 'cat-file'])('does not discard a plan because git %s failed', async (command) => {
    const first = await makePlan();
    expect(await world.git.publish(world.repo, first)).toEqual({ kind: 'pushed' });
    failing.fail(command, 'echo "fatal: out of memory" >&2; exit 128');
    git(world.clone, 'fetch', '-q', 'origin', BRANCH);
    git(world.clone, 'reset', '-q', '--hard', 'FETCH_HEAD');
    commit(world.clone, { 'src/b.txt': 'on top\n' });
    git(world.clone, 'push', '-q', 'origin', `HEAD:${BRANCH}`);
    const answer = await world.git.publish(world.repo, first);
    expect(answer.kind).toBe(command === 'merge-base' ? 'failed' : 'pushed');
    failing.recover();
    expect(await world.git.publish(world.repo, first)).toEqual({ kind: 'pushed' });
  });

  it('does not treat a new branch as deleted because a git command failed', async () => {
    const plan = await makePlan();
    failing.fail('for-each-ref', 'echo "fatal: out of memory" >&2; exit 128');
    expect(await world.git.publish(world.repo, plan)).toMatchObject({ kind: 'failed' });
    failing.recover();
    expect(await world.git.publish(world.repo, plan)).toEqual({ kind: 'pushed' });
  });

  it('does not fail a fetch because the mirror could not be repacked', async () => {
    const { slot } = await world.start();
    for (let index = 0; index < 55; index += 1)
      writeFileSync(join(mirror(), `objects/pack/pack-${index}.pack`), '');
    failing.fail('repack', 'exec yes');
    expect(await slot.restore(NEW_BRANCH)).toMatchObject({ kind: 'ready' });
    expect(world.logged.join()).toContain('could not repack');
  });

  it('removes unfinished packs once no process can be writing them', async () => {
    const { slot } = await world.start();
    const pack = join(mirror(), 'objects/pack');
    mkdirSync(pack, { recursive: true });
    const names = ['.tmp-123-pack-abc.pack', 'tmp_pack_abc', 'tmp_pack_new'].map((name) => join(pack, name));
    for (const path of names) writeFileSync(path, 'half');
    for (const path of names.slice(0, 2)) utimesSync(path, 1_000_000, 1_000_000);
    await slot.restore(NEW_BRANCH);
    expect(names.map((path) => existsSync(path))).toEqual([false, false, true]);
  });
});
