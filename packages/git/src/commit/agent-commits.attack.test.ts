import { join } from 'node:path';
import { createFindSecrets } from '@mergexo/core/text';
import type { Slot } from '../slot/slot.js';
import {
  CREDIT,
  cleanMessage,
  commitRaw,
  headersOf,
  PASSWORD,
  readNew,
  startMerge,
  TOKEN,
  writeRaw,
} from '../testing/raw-commits.js';
import { commit, git, write } from '../testing/shell.js';
import { BRANCH, makeWorld, TRAILER, type World } from '../testing/world.js';

const AUTHOR = 'MergeXO <mergexo@example.test>';

describe('commits that the agent made', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld({ files: { 'f.txt': 'one\n' } });
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');

  const collect = (slot: Slot, startSha: string) =>
    slot.collect({
      startSha,
      message: 'Work',
      cleanMessage,
      findSecrets: createFindSecrets([PASSWORD]),
      trailer: TRAILER,
      credit: CREDIT,
    });

  async function mustCollect(slot: Slot, startSha: string) {
    const collected = await collect(slot, startSha);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    return collected;
  }

  /** Expects exactly the headers that MergeXO writes, with MergeXO's identity and the current time. */
  function expectOurs(raw: string): void {
    const [headers = ''] = raw.split('\n\n');
    const names = headers.split('\n').map((line) => line.split(' ')[0]);
    expect(names.filter((name) => name !== 'parent')).toEqual(['tree', 'author', 'committer']);
    for (const name of ['author', 'committer']) {
      const [, who, seconds] = new RegExp(`^${name} (.*) (\\d+) \\+0000$`, 'm').exec(headers) ?? [];
      expect(who).toBe(AUTHOR);
      expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeLessThan(600);
    }
    expect(raw).toContain(`\n${CREDIT}`);
  }

  describe('their identity', () => {
    it.each<[string, (slot: Slot) => void]>([
      [
        'with a foreign author',
        (slot) => {
          write(slot.path, { 'f.txt': 'x\n' });
          git(slot.path, 'commit', '-qam', 'Mine', '--author=Linus Torvalds <torvalds@example.test>');
        },
      ],
      ['with a foreign committer and date', (slot) => commitRaw(world, slot, `${headersOf(slot)}\nMine\n`)],
      [
        'with a signature',
        (slot) =>
          commitRaw(
            world,
            slot,
            `${headersOf(slot, 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n')}\nMine\n`,
          ),
      ],
      [
        'with a signed tag in a header',
        (slot) => commitRaw(world, slot, `${headersOf(slot, 'mergetag object abc\n type commit\n')}\nMine\n`),
      ],
      [
        'with a header that holds a secret',
        (slot) => commitRaw(world, slot, `${headersOf(slot, `x-note ${TOKEN}\n`)}\nMine\n`),
      ],
      [
        'with an unknown encoding',
        (slot) => commitRaw(world, slot, `${headersOf(slot, 'encoding x-nonsense\n')}\nMine\n`),
      ],
      ['without any change', (slot) => git(slot.path, 'commit', '-q', '--allow-empty', '-m', 'Nothing')],
      ['without a message', (slot) => commitRaw(world, slot, `${headersOf(slot)}\n`)],
      [
        'with a date before 1970',
        (slot) => commitRaw(world, slot, `${headersOf(slot)}\nMine\n`.replace(/ 1 \+/g, ' 0 -')),
      ],
      [
        'with a note',
        (slot) => {
          commit(slot.path, { 'f.txt': 'x\n' });
          git(slot.path, 'notes', 'add', '-m', TOKEN);
        },
      ],
      [
        'that merges the agent’s own branches',
        (slot) => {
          startMerge(slot, { 'side.txt': 'x\n' });
          commit(slot.path, {}, 'Merge');
        },
      ],
      [
        'in a series of commits',
        (slot) => {
          for (let index = 0; index < 6; index += 1) commit(slot.path, { 'f.txt': `${index}\n` });
        },
      ],
    ])(
      'never reaches the remote: MergeXO pushes a commit %s with its own author, date and headers',
      async (_name, attack) => {
        const { slot, head } = await world.start();
        attack(slot);
        const { sha } = await mustCollect(slot, head);
        for (const raw of readNew(trusted(), head, sha)) expectOurs(raw);
        expect(git(trusted(), 'cat-file', '--batch-all-objects', '--batch')).not.toContain(TOKEN);
      },
    );

    it('is kept if the agent fast-forwarded to a commit from another branch', async () => {
      git(world.clone, 'checkout', '-q', '-B', 'other', 'main');
      const theirs = commit(world.clone, { 'theirs.txt': 'x\n' }, 'Fixes #1 by someone else');
      git(world.clone, 'checkout', '-q', 'main');
      git(world.clone, 'push', '-q', 'origin', 'other');
      const { slot, head } = await world.start();
      git(slot.path, 'fetch', '-q', world.remote, 'other');
      git(slot.path, 'reset', '-q', '--hard', 'FETCH_HEAD');
      const { sha, commits } = await mustCollect(slot, head);
      expect(commits).toEqual([theirs, sha]);
      expectOurs(git(trusted(), 'cat-file', 'commit', sha));
      expect(git(trusted(), 'cat-file', 'commit', theirs)).toBe(
        git(world.clone, 'cat-file', 'commit', theirs),
      );
    });

    it('counts as the agent’s if a person removed the commit from the remote, so MergeXO searches the commit for secrets', async () => {
      git(world.clone, 'checkout', '-q', '-B', 'gone', 'main');
      const removed = commit(world.clone, { 'leak.txt': `${TOKEN}\n` }, 'A leak');
      git(world.clone, 'checkout', '-q', 'main');
      git(world.clone, 'push', '-q', 'origin', 'gone');
      await world.start();
      await world.releaseAll();
      git(world.clone, 'push', '-q', 'origin', ':gone');
      const { slot, head } = await world.start();
      git(slot.path, 'reset', '-q', '--hard', removed);
      expect(await collect(slot, head)).toMatchObject({ kind: 'secret', files: [{ path: 'leak.txt' }] });
    });

    it('does not change when the same plan is pushed twice', async () => {
      const { slot, head } = await world.start();
      commit(slot.path, { 'f.txt': 'x\n' }, 'Mine');
      const { sha, bundle } = await mustCollect(slot, head);
      const request = { branch: BRANCH, startSha: head, sha, bundle };
      expect(await world.git.publish(world.repo, request)).toEqual({ kind: 'pushed' });
      expect(await world.git.publish(world.repo, request)).toEqual({ kind: 'pushed' });
      expect(git(world.remote, 'rev-parse', `refs/heads/${BRANCH}`)).toBe(sha);
      git(world.remote, 'update-ref', '-d', `refs/heads/${BRANCH}`);
    });
  });

  describe('their trees', () => {
    it.each<[string, string]>([
      ['a group-writable file', '100664'],
      ['a file with mode 777', '100777'],
      ['a device', '060000'],
      ['an entry with mode 0', '0'],
    ])('cannot hide a secret in %s', async (_name, mode) => {
      const { slot, head } = await world.start();
      write(slot.path, { 'key.txt': `${PASSWORD}\n` });
      const id = git(slot.path, 'hash-object', '-w', 'key.txt');
      const content = Buffer.concat([Buffer.from(`${mode} key.txt\0`), Buffer.from(id, 'hex')]);
      const tree = writeRaw(world, slot, { type: 'tree', content });
      git(slot.path, 'update-ref', 'HEAD', git(slot.path, 'commit-tree', tree, '-p', head, '-m', 'x'));
      expect((await collect(slot, head)).kind).toMatch(/^(?:secret|invalid)$/);
    });
  });
});
