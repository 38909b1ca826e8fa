import fs from 'node:fs';
import path from 'node:path';
import { createManualClock } from '../basics/clock.js';
import { ask, read } from '../testing/ask.js';
import { mustGit } from '../testing/git.js';
import { AT, makeTempDir, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';

const start = (dir: string, seed = {}): Promise<Twin> => startTestTwin({ dir, ...seed });
const journalOf = (dir: string) => path.join(dir, 'journal.jsonl');

/** Returns the directory of a stopped twin with one issue and one open pull request. */
async function makeState() {
  const dir = makeTempDir();
  const twin = await start(dir);
  const issue = await twin.as('bob').openIssue(REPO, { title: 'Kept' });
  await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const pull = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
  const repoDir = twin.repoDir(REPO);
  await twin.stop();
  return { dir, issue, pull, repoDir, before: twin };
}

describe('a twin’s state directory', () => {
  it('restores tables, history and refs exactly, without duplicate entries', async () => {
    const { dir, before } = await makeState();
    for (let restart = 1; restart <= 2; restart += 1) {
      const twin = await start(dir);
      expect(twin.world.store.issues.all()).toEqual(before.world.store.issues.all());
      expect(twin.world.store.tokens.all()).toEqual(before.world.store.tokens.all());
      expect(twin.history.list()).toEqual(before.history.list());
      expect(twin.world.store.nextId()).toBe(before.world.store.lastId() + 1);
      await twin.stop();
    }
  });

  it('restores a changed token and a removed row', async () => {
    const { dir, issue } = await makeState();
    const first = await start(dir);
    const comment = await first.as('bob').comment(REPO, issue, 'To be deleted');
    await first.as('bob').deleteComment(REPO, comment);
    first.control.expireToken('carol');
    await first.stop();
    const second = await start(dir);
    expect(second.world.store.comments.all()).toEqual([]);
    expect((await ask(second, `GET ${AT}`, { as: 'carol' })).status).toBe(401);
  });

  it('never sets the clock back, even if the last change only advanced the clock', async () => {
    const dir = makeTempDir();
    const first = await start(dir, { clock: createManualClock('2025-01-01T00:00:00Z') });
    first.control.advance(3_600_000);
    await first.stop();
    const second = await start(dir, { clock: createManualClock('2024-01-01T00:00:00Z') });
    expect(new Date(second.world.clock.now()).toISOString()).toBe('2025-01-01T01:00:00.000Z');
  });

  it('has every change on disk before the response is sent', async () => {
    const dir = makeTempDir();
    const twin = await start(dir);
    const { flush } = twin.world;
    const seen: string[] = [];
    twin.world.flush = () => {
      flush();
      seen.push(fs.readFileSync(journalOf(dir), 'utf8'));
    };
    await ask(twin, `POST ${AT}/issues`, { body: { title: 'Durable' } });
    expect(seen).toEqual([expect.stringMatching(/"title":"Durable".*"kind":"request".*\n$/s)]);
  });

  it('updates pull requests after an interrupted push, and removes lock files left by a killed git', async () => {
    const { dir, pull, repoDir } = await makeState();
    await mustGit(repoDir, 'update-ref', 'refs/heads/main', 'refs/heads/topic');
    fs.writeFileSync(path.join(repoDir, 'refs/heads/topic.lock'), '');
    const twin = await start(dir);
    expect(await read(twin, `GET ${AT}/pulls/${pull}`, 'merged')).toBe(true);
    await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'b\n' });
  });

  it('gets the complete seed or none of it, and only once', async () => {
    const dir = makeTempDir();
    const repos = [{ name: 'alice/app' }, { name: 'nobody/app' }];
    await expect(start(dir, { seed: { users: [{ login: 'alice' }], repos } })).rejects.toThrow(
      'no user nobody',
    );
    await (await start(dir)).stop();
    const twin = await start(dir, { seed: { users: [{ login: 'ignored' }] } });
    expect(twin.world.store.repos.all().map(({ owner }) => owner)).toEqual(['acme']);
    expect(fs.readdirSync(path.join(dir, 'repos'))).toHaveLength(1);
  });

  it('belongs to one twin at a time', async () => {
    const dir = makeTempDir();
    const first = await start(dir);
    await expect(start(dir)).rejects.toThrow('is in use by another twin');
    await first.stop();
    await start(dir);
  });
});

describe('a damaged state directory', () => {
  const swap = ([first, second, ...rest]: string[]) => [second, first, ...rest];
  it.each<[string, (lines: string[]) => (string | undefined)[], string]>([
    ['a foreign line', ([first, ...rest]) => [first, 'oops', ...rest], 'is damaged in line 2'],
    ['a changed letter', (lines) => lines.map((line) => line.replace('Kept', 'Lost')), 'is damaged in line'],
    ['a missing line', ([first, , ...rest]) => [first, ...rest], 'is damaged in line 2'],
    ['swapped lines', swap, 'is damaged in line 1'],
    ['no lines', () => [], 'is empty'],
  ])('is refused, kept unchanged and unlocked if its journal has %s', async (_damage, harm, message) => {
    const { dir } = await makeState();
    const damaged = harm(fs.readFileSync(journalOf(dir), 'utf8').split('\n')).join('\n');
    fs.writeFileSync(journalOf(dir), damaged);
    for (let attempt = 1; attempt <= 2; attempt += 1) await expect(start(dir)).rejects.toThrow(message);
    expect(fs.readFileSync(journalOf(dir), 'utf8')).toBe(damaged);
  });

  it('is refused if its journal or a repository is missing', async () => {
    const { dir, repoDir } = await makeState();
    fs.renameSync(repoDir, `${repoDir}.away`);
    await expect(start(dir)).rejects.toThrow(`${repoDir} is missing`);
    fs.rmSync(journalOf(dir));
    await expect(start(dir)).rejects.toThrow('journal.jsonl is missing');
    expect(fs.existsSync(`${repoDir}.away`)).toBe(true);
  });

  it('is opened without the last line of its journal if that line is incomplete', async () => {
    const { dir, issue } = await makeState();
    fs.appendFileSync(journalOf(dir), '0123456789abcdef [{"atMs":');
    const first = await start(dir);
    await first.as('bob').comment(REPO, issue, 'After the crash');
    await first.stop();
    expect((await start(dir)).world.store.comments.all()).toHaveLength(1);
  });
});
