import type { CheckRun } from './check-run.js';
import { describeChecks } from './describe-checks.js';

const HEAD = 'a'.repeat(40);
const check = (name: string, conclusion: string | null, headSha = HEAD): CheckRun => ({
  source: 'check',
  id: 1,
  name,
  headSha,
  isDone: conclusion !== null,
  conclusion,
  attempt: 1,
  url: 'u',
  updatedAt: '',
});

describe('describeChecks', () => {
  it('lists failed checks first, and leaves out those of other commits', () => {
    const checks = [
      check('build', 'success'),
      check('test', null),
      check('lint', 'failure'),
      check('old', 'failure', 'b'.repeat(40)),
    ];
    expect(describeChecks(checks, HEAD).map(({ name, status }) => [name, status])).toEqual([
      ['lint', 'completed'],
      ['build', 'completed'],
      ['test', 'in_progress'],
    ]);
    expect(describeChecks(null, HEAD)).toEqual([]);
  });

  it('lists every check', () => {
    const checks = Array.from({ length: 300 }, (_, index) => check(`${index}`, 'success'));
    expect(describeChecks(checks, HEAD)).toHaveLength(300);
  });
});
