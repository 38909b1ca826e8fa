import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createFindSecrets } from '@mergexo/core/text';
import type { Slot } from '../slot/slot.js';
import { startMerge, TOKEN, writeRaw } from '../testing/raw-commits.js';
import { commit, git, write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World } from '../testing/world.js';

const KNOWN = 'k3-correct-horse/battery+staple';
const OLD = 'an-old-fixture-password-7';
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('when a commit contains a secret, MergeXO', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld({
      limits: { slotBytes: 8_000_000 },
      files: { 'f.txt': 'one\n', 'fixtures/old.txt': `password: ${OLD}\n` },
    });
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');
  const findSecrets = createFindSecrets([KNOWN, OLD, 'short', 'production']);
  const collect = (slot: Slot, startSha: string) =>
    slot.collect({ startSha, message: 'Work', findSecrets, trailer: TRAILER });

  it.each<[string, string | Buffer]>([
    ['as it is', `key = "${KNOWN}"\n`],
    ['in base64', base64(KNOWN)],
    ['in a binary file', Buffer.concat([Buffer.from([0, 255, 0, 1]), Buffer.from(KNOWN)])],
    ['after five megabytes', Buffer.concat([Buffer.alloc(5_000_000, 'x\n'), Buffer.from(KNOWN)])],
    ['as a GitHub token that MergeXO does not know', `${TOKEN}\n`],
  ])('pushes no file with a secret %s', async (_name, content) => {
    const { slot, head } = await world.start();
    write(slot.path, { 'src/config.bin': content });
    const expected = { kind: 'secret', files: [{ path: 'src/config.bin' }] };
    expect(await collect(slot, head)).toMatchObject(expected);
  });

  it.each<[string, (slot: Slot) => void]>([
    ['in a commit', (slot) => void commit(slot.path, { 'a.txt': KNOWN })],
    ['in a file name', (slot) => write(slot.path, { [`${base64(KNOWN)}.txt`]: 'x\n' })],
    ['in a folder name', (slot) => write(slot.path, { [`${TOKEN}/x.txt`]: 'x\n' })],
    [
      'in the name of an empty folder',
      (slot) => {
        const empty = writeRaw(world, slot, { type: 'tree', content: '' });
        const input = `${git(slot.path, 'ls-tree', 'HEAD')}\n040000 tree ${empty}\t${TOKEN}\n`;
        const tree = execFileSync('git', ['mktree'], { cwd: slot.path, input, encoding: 'utf8' }).trim();
        const sha = git(slot.path, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Add a folder').trim();
        git(slot.path, 'update-ref', 'HEAD', sha);
        git(slot.path, 'read-tree', 'HEAD');
      },
    ],
    ['in a path', (slot) => write(slot.path, { [`${KNOWN}.txt`]: 'x\n' })],
    ['in the target of a link', (slot) => symlinkSync(base64(KNOWN), join(slot.path, 'link'))],
    ['in an ignore file', (slot) => write(slot.path, { '.gitignore': `# ${KNOWN}\n` })],
    [
      'in a file that an attribute marks as binary',
      (slot) => write(slot.path, { '.gitattributes': '* binary\n', x: KNOWN }),
    ],
    ['in a line added to a file', (slot) => write(slot.path, { 'f.txt': `one\n${KNOWN}\n` })],
    [
      'in a file with an older secret',
      (slot) => write(slot.path, { 'fixtures/old.txt': `password: ${OLD}\n${KNOWN}\n` }),
    ],
    [
      'in the last of several commits',
      (slot) => {
        commit(slot.path, { 'a.txt': 'x\n' });
        commit(slot.path, { 'b.txt': KNOWN });
      },
    ],
    [
      'in a merge commit',
      (slot) => {
        startMerge(slot, { 'side.txt': 'x\n' });
        commit(slot.path, { 'evil.txt': KNOWN }, 'Merge');
      },
    ],
    [
      'on a branch that the agent merged',
      (slot) => {
        startMerge(slot, { 'side.txt': KNOWN });
        commit(slot.path, {}, 'Merge');
      },
    ],
  ])('pushes nothing with a secret %s', async (_name, attack) => {
    const { slot, head } = await world.start();
    attack(slot);
    expect(await collect(slot, head)).toMatchObject({ kind: 'secret' });
  });

  it('does not repeat the secret in its result', async () => {
    const { slot, head } = await world.start();
    write(slot.path, { 'a.txt': `${KNOWN} ${TOKEN}` });
    const { files } = { files: [], ...(await collect(slot, head)) };
    expect(files).toEqual([
      { path: 'a.txt', reason: 'it contains a credential of this MergeXO installation' },
    ]);
  });

  it('pushes no earlier commit with a secret that a later commit removes', async () => {
    const { slot, head } = await world.start();
    commit(slot.path, { 'a.txt': `${KNOWN} ${TOKEN}\n`, 'b.txt': 'b\n' }, 'Leak');
    commit(slot.path, { 'a.txt': 'clean\n' }, 'Clean up');
    const collected = await collect(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(collected.files.map(({ path }) => path)).toEqual(['a.txt', 'b.txt']);
    expect(collected.commits).toHaveLength(1);
    const objects = git(trusted(), 'cat-file', '--batch-all-objects', '--batch');
    expect(objects).not.toContain(KNOWN);
    expect(objects).not.toContain(TOKEN);
  });

  it('refuses files that are too large to search', async () => {
    const { slot, head } = await world.start();
    const zeros = Buffer.alloc(9_000_000);
    commit(slot.path, { 'zeros.bin': zeros });
    expect(await collect(slot, head)).toEqual({ kind: 'too-large', bytes: zeros.length });
  });

  it.each<[string, (slot: Slot) => void]>([
    [
      'a secret that the file already has',
      (slot) => write(slot.path, { 'fixtures/old.txt': `new: ${OLD}\n` }),
    ],
    [
      'a secret that moves with its file',
      (slot) => {
        mkdirSync(join(slot.path, 'test'));
        renameSync(join(slot.path, 'fixtures/old.txt'), join(slot.path, 'test/old.txt'));
      },
    ],
    ['a removed secret', (slot) => rmSync(join(slot.path, 'fixtures/old.txt'))],
    ['short and plain values', (slot) => write(slot.path, { 'a.txt': 'a short text for production\n' })],
    ['a made-up token', (slot) => write(slot.path, { 'a.txt': `ghp_${'a'.repeat(36)} sk-ant-api03-xxx\n` })],
    [
      'a made-up fine-grained token',
      (slot) => write(slot.path, { 'a.txt': `github_pat_${'A'.repeat(22)}_${'B'.repeat(59)}\n` }),
    ],
    [
      'a test key',
      (slot) =>
        write(slot.path, { 'k.pem': '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n' }),
    ],
  ])('pushes %s', async (_name, change) => {
    const { slot, head } = await world.start();
    change(slot);
    expect(await collect(slot, head)).toMatchObject({ kind: 'collected' });
  });
});
