import { parseConfig } from '@mergexo/config';
import { Failure, silentLog } from '@mergexo/core/basics';
import { openState, type State } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createPruneSteps } from './prune-steps.js';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const { runtime } = parseConfig('[repo.a]\nowner = "o"\nname = "n"', { homeDir: '/' });

describe('pruneSteps', () => {
  const pathTo = useTemporaryDirectory();
  let state: State;
  beforeEach(() => {
    state = openState(pathTo('state.db'));
  });
  afterEach(() => state.close());

  const record = (text: string, at: number, first = 0): void =>
    state.recordAgentSteps(
      { turnKey: 'a'.repeat(64), attempt: 1, first, steps: [{ kind: 'run', text }] },
      at,
    );
  const recordMany = (count: number, at: number): void => {
    const steps = Array.from({ length: count }, (_, index) => ({
      kind: 'run' as const,
      text: `${index} ${'x'.repeat(490)}`,
    }));
    state.transaction(() =>
      state.recordAgentSteps({ turnKey: 'a'.repeat(64), attempt: 1, first: 0, steps }, at),
    );
  };
  const left = () => state.listAgentSteps({}, 5_000).map(({ text }) => text);
  const prune = (keys: Partial<typeof runtime> = {}) =>
    createPruneSteps({ state, now: () => NOW, log: silentLog }, { ...runtime, ...keys })();

  it.each([
    ['the default', {}, ['13', '1']],
    ['a shorter time', { agentStepsDays: 7 }, ['1']],
    ['a longer time', { agentStepsDays: 30 }, ['15', '13', '1']],
  ])('keeps steps for %s', async (_name, keys, kept) => {
    for (const [index, days] of [15, 13, 1].entries()) record(String(days), NOW - days * DAY_MS, index);
    await prune(keys);
    expect(left()).toEqual(kept);
  });

  it('keeps the newest steps up to the size of agent_steps_max_mb', async () => {
    recordMany(2_500, NOW);
    await prune();
    expect(left()).toHaveLength(2_500);
    for (let round = 0; round < 3; round += 1) await prune({ agentStepsMaxMb: 1 });
    const bytes = left().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    // A row also takes space in the table and its index.
    expect(bytes).toBeGreaterThan(0.6 * 1024 * 1024);
    expect(bytes).toBeLessThan(1024 * 1024);
    expect(left().at(-1)).toMatch(/^2499 /);
  });

  it('deletes a large backlog over several rounds, so that no round is long', async () => {
    recordMany(1_500, 1);
    await prune();
    expect(left()).toHaveLength(500);
    await prune();
    expect(left()).toEqual([]);
  });

  it('retries after the database was locked, and passes on any other error', async () => {
    const failing = (error: Error) =>
      createPruneSteps(
        {
          state: {
            transaction: () => {
              throw error;
            },
            pruneAgentSteps: () => 0,
          },
          now: () => NOW,
          log: silentLog,
        },
        runtime,
      )();
    await expect(failing(new Failure('unavailable', 'locked'))).resolves.toBeUndefined();
    await expect(failing(new TypeError('a bug'))).rejects.toThrow('a bug');
  });
});
