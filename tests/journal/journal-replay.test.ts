import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { JournalEntry, type JournalHeader, renderJournal } from '@mergexo/core/journal';
import { createTemporaryDirectory } from '@mergexo/testkit';

const MAIN = fileURLToPath(new URL('../dist/journal-replay.js', import.meta.url));
const HEADER: JournalHeader = { journal: 'mergexo', version: 1, created_at: 5, texts: false, logins: false };

const run = { kind: 'run', repo: 'repo-1', issue: 1, ordinal: 1, status: 'merged', hold: null, end: null };
const comment = {
  ...{ kind: 'comment', repo: 'repo-1', thread: 2, written_at: null, version: 1, reply_to: null },
  ...{ review: null, review_state: null, turn: null, skip: null, processed_at: null, trust: 'allowed' },
};
const event = { kind: 'event', repo: 'repo-1', issue: 1, pr: 2, turn: null, comment: null };
const ENTRIES = [
  { ...run, at: 1_000, flow: 'bugfix', pr: 2 },
  { ...comment, at: 90_000, form: 'review', comment: 'comment-1', author: 'person-2' },
  { ...event, at: 91_000, type: 'turn_failed', facts: { cause: 'crash' } },
  { ...comment, at: 95_000, form: 'issue', comment: 'comment-2', author: 'person-3', trust: 'not_allowed' },
  { ...comment, at: 96_000, form: 'issue', comment: 'comment-3', author: 'person-4', trust: 'ours' },
  { ...comment, at: 99_000, form: 'review', comment: 'comment-1', author: 'person-2', version: 2 },
  { ...event, at: 150_000, type: 'takeover', facts: { taken_over: true } },
  { ...event, at: 180_000, type: 'takeover', facts: { taken_over: false } },
  { ...event, at: 250_000, type: 'pull_closed', facts: { status: 'merged' } },
].map((entry) => JournalEntry.parse(entry));

describe('npm run journal:replay', () => {
  const directory = createTemporaryDirectory();
  const path = join(directory.path, 'case.jsonl');
  afterAll(() => directory.remove());

  /** Runs in a separate process, because the simulated world replaces the clock. */
  const replay = (...args: string[]): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: '' };
      execFile(process.execPath, [MAIN, ...args], { env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });

  it('repeats the people’s actions and the failures in the simulated world, and breaks no promise', async () => {
    writeFileSync(path, renderJournal({ header: HEADER, entries: ENTRIES }));
    const { code, output } = await replay(path, '--story');
    expect(output.split('\n').slice(1)).toEqual([
      '      0.0 s: alice opens an issue for a bugfix',
      '     89.0 s: alice posts a plain comment on line 0',
      '     90.0 s: kill -9 of the worker-1',
      '     94.0 s: mallory posts a plain comment on pull 0',
      '     98.0 s: somebody edits their text 0',
      '    149.0 s: alice takes over issue 0',
      '    179.0 s: alice hands back issue 0',
      '    249.0 s: alice: merge 0',
      'ok repo-1: 8 steps',
      '1 replays, 0 with problems',
      '',
    ]);
    expect(code).toBe(0);
  });

  it('reports a file that is not a journal, and replays nothing', async () => {
    writeFileSync(path, '{"journal":"mergexo","version":9}\n');
    const { code, output } = await replay(path);
    expect(code).toBe(1);
    expect(output).toContain(`${path} line 1: the journal has version 9`);
  });
});
