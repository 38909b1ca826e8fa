import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseJournal } from '@mergexo/core/journal';
import { copyDatabase } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { runOne } from '../chaos/feedback-runs.js';
import { talk } from '../stage/answer-all.js';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';
import { toSchedules } from './to-schedules.js';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const CANARY = `ghp_${'x7Yz'.repeat(9)}`;

describe('npx mergexo journal export', () => {
  const directory = createTemporaryDirectory();
  const base = join(directory.path, 'data');
  const config = join(directory.path, 'mergexo.toml');
  let stage: Stage;

  beforeAll(async () => {
    stage = await createStage();
    await playStory(stage);
    mkdirSync(base, { mode: 0o700 });
    copyDatabase(stage.databasePath, join(base, 'state.db'));
    writeFileSync(
      config,
      `[runtime]\nbase_dir = ${JSON.stringify(base)}\n[repo.app]\nowner = "alice"\nname = "app"\n`,
    );
  });
  afterAll(async () => {
    await stage.close();
    directory.remove();
  });

  const run = (...args: string[]): Promise<{ code: number; output: string }> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [CLI, 'journal', 'export', '--config', config, ...args],
        { env: { PATH: process.env['PATH'], HOME: directory.path, GITHUB_TOKEN: CANARY } },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
      );
    });
  const exportTo = async (name: string, ...args: string[]): Promise<string> => {
    const path = join(directory.path, name);
    expect(await run('--out', path, ...args)).toMatchObject({ code: 0 });
    return readFileSync(path, 'utf8');
  };

  it('writes a private file that names nobody and quotes nothing', async () => {
    const text = await exportTo('plain.jsonl');
    expect(statSync(join(directory.path, 'plain.jsonl')).mode & 0o777).toBe(0o600);
    expect(text).not.toMatch(/alice|mallory|robot|Login|fix\.txt|agent\/|\b[0-9a-f]{40,64}\b|ghp_|Why/);
    const kinds = new Set(parseJournal(text, 'plain.jsonl').entries.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['action', 'comment', 'event', 'run', 'turn']);
  });

  it('includes texts on request, without secrets and logins', async () => {
    const text = await exportTo('texts.jsonl', '--with-texts');
    expect(text).toContain('Why one?');
    expect(text).toContain('Login broken');
    expect(text).not.toMatch(/alice|mallory|ghp_/);
  });

  it('includes logins on request', async () => {
    expect(await exportTo('logins.jsonl', '--with-logins')).toContain('"author":"mallory"');
  });

  it('prints JSON, replaces no file, and names the next step', async () => {
    const path = join(directory.path, 'once.jsonl');
    const { output } = await run('--out', path, '--json');
    expect(JSON.parse(output)).toMatchObject({ ok: true, file: path, texts: false, logins: false });
    expect(await run('--out', path)).toEqual({
      code: 2,
      output: `mergexo: ${path} exists already. Choose another file with --out.\n`,
    });
    const unknown = await run('--out', join(directory.path, 'no.jsonl'), '--repo', 'alice/other');
    expect(unknown.output).toContain('The poller has not polled "alice/other"');
    expect(existsSync(join(directory.path, 'no.jsonl'))).toBe(false);
  });

  it('can be replayed: the same people say as much in the same order, and every comment is answered', async () => {
    const [replay] = toSchedules(parseJournal(await exportTo('replay.jsonl'), 'replay.jsonl'));
    if (replay === undefined) throw new Error('the journal has no pull request');
    const said = replay.ops.flatMap((op) => ('by' in op ? [`${op.kind} by ${op.by}`] : [op.kind]));
    const ofPeople = said.filter((text) => / by |edit|delete|take-over|close|reopen/.test(text));
    expect(ofPeople).toEqual([
      'line by alice',
      'comment by mallory',
      'line by alice',
      'edit',
      'close',
      'reopen',
    ]);
    expect(said.filter((text) => text === 'step')).toHaveLength(10);
    expect(await runOne(replay)).toMatchObject({ problems: [], answers: 3 });
  });
});

/** A pull request with two line comments, an edit, a stranger, and a reopening. */
async function playStory(stage: Stage): Promise<void> {
  const { alice, twin } = stage;
  const settle = async (): Promise<void> => {
    stage.advance(DEBOUNCE_MS + 1_000);
    await stage.poll();
    for (let i = 0; i < 3; i += 1) await stage.drain();
    stage.advance(1_000);
  };
  const answer = async (): Promise<void> => {
    await settle();
    stage.advance(DEBOUNCE_MS);
    await stage.poll();
    await stage.answer(talk);
    await settle();
  };
  await alice.openIssue(NAME, {
    title: 'Login broken',
    body: `Fails with ${CANARY}.`,
    labels: ['agent:bugfix'],
  });
  await stage.poll();
  await stage.work({ kind: 'pull', title: 'Fix login', summary: 'Fixed.', design: null });
  await settle();
  await settle();
  const first = await alice.reviewComment(NAME, 2, { path: 'fix.txt', line: 1, body: 'Why one?' });
  await answer();
  await twin.as('mallory').comment(NAME, 2, 'Me too');
  await settle();
  await alice.reviewComment(NAME, 2, { path: 'fix.txt', line: 2, body: 'Why two?' });
  await answer();
  await alice.editReviewComment(NAME, first, 'Why one, again?');
  await settle();
  await alice.close(NAME, 2);
  await settle();
  await alice.reopen(NAME, 2);
  await settle();
}
