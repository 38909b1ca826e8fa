import type { CheckRun } from './check-run.js';
import { chooseFailures } from './choose-failures.js';

const headSha = 'a'.repeat(40);
const run = (change: Partial<CheckRun>): CheckRun => ({
  source: 'actions',
  id: 1,
  name: 'test',
  headSha,
  isDone: true,
  conclusion: 'failure',
  attempt: 1,
  url: 'u',
  updatedAt: 't',
  ...change,
});

describe('chooseFailures', () => {
  it.each([
    ['never', [run({})], []],
    ['first_fail', [run({}), run({ id: 2, name: 'lint', isDone: false, conclusion: null })], [1]],
    ['all_complete', [run({}), run({ id: 2, name: 'lint', isDone: false, conclusion: null })], []],
    ['all_complete', [run({}), run({ id: 2, name: 'lint', conclusion: 'success' })], [1]],
    ['all_complete', [run({}), run({ id: 2, name: 'lint', conclusion: 'timed_out' })], [1, 2]],
  ] as const)('with the policy %s and the checks %j, chooses %j', (policy, runs, ids) => {
    expect(chooseFailures(runs, { headSha, policy }).map(({ id }) => id)).toEqual(ids);
  });

  it.each(['success', 'neutral', 'skipped', 'cancelled', 'action_required', 'stale'])(
    'does not count %s as a failure',
    (conclusion) => {
      expect(chooseFailures([run({ conclusion })], { headSha, policy: 'first_fail' })).toEqual([]);
    },
  );

  it('ignores other heads and runs that were rerun', () => {
    const runs = [
      run({ headSha: 'b'.repeat(40) }),
      run({ id: 5 }),
      run({ id: 6, conclusion: 'success' }),
      run({ id: 7, name: 'e2e', attempt: 1 }),
      run({ id: 7, name: 'e2e', attempt: 2, conclusion: 'success' }),
    ];
    expect(chooseFailures(runs, { headSha, policy: 'all_complete' })).toEqual([]);
  });
});
