import { readFileSync } from 'node:fs';
import { FIXTURES } from '../chaos/feedback-fixtures.js';
import { runMutant } from '../chaos/feedback-mutant-runs.js';
import { MUTANTS } from '../chaos/feedback-mutants.js';
import { applyEdit } from '../chaos/feedback-mutate-hooks.js';
import { runFeedback, runOne } from '../chaos/feedback-runs.js';

const ROOT = new URL('../..', import.meta.url);
/** Few, because the search of CI plays the same loop in far more schedules. */
const RUNS = 5;

describe('the feedback loop under random schedules', () => {
  it(`answers every comment once and rewrites nothing, in ${RUNS} schedules`, async () => {
    const seed = 1;
    const { finding, runs } = await runFeedback({ seed, runs: RUNS, shrinkMs: 20_000 });
    expect(finding?.report).toBeUndefined();
    expect(runs).toBe(RUNS);
  });

  it.each(FIXTURES.map((fixture) => [fixture.name, fixture] as const))('%s', async (_name, fixture) => {
    expect(await runOne(fixture)).toMatchObject({ problems: [] });
  });

  it.each(MUTANTS.flatMap(({ name, edits }) => edits.map((edit) => [name, edit] as const)))(
    'still contains the code that this deliberate bug replaces: %s',
    (_name, edit) => {
      const text = readFileSync(new URL(edit.file, ROOT), 'utf8');
      expect(applyEdit(text, edit)).not.toBe(text);
    },
  );

  it.each([
    'a turn that ends early requeues its answered events',
    'the poller posts without checking for a closed pull request',
  ])(
    'breaks with the deliberate bug: %s',
    async (name) => {
      const { caughtIn } = await runMutant(name, {
        dist: new URL('../dist/', import.meta.url),
        seed: 1,
        runs: 40,
      });
      expect(caughtIn).not.toBeNull();
    },
    900_000,
  );
});
