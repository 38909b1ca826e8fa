import type { CheckRun } from './check-run.js';
import { type FailedJob, renderFailure } from './render-failure.js';

const run: CheckRun = {
  source: 'actions',
  id: 7,
  name: 'CI',
  headSha: 'a'.repeat(40),
  isDone: true,
  conclusion: 'failure',
  attempt: 2,
  url: 'https://github.example/runs/7',
  updatedAt: '2026-01-02T03:04:05Z',
};
const job = (change: Partial<FailedJob>): FailedJob => ({
  name: 'test',
  url: 'https://github.example/jobs/1',
  steps: ['Run npm test'],
  annotations: [],
  log: '2026-01-02T03:04:05.678Z --- FAIL: TestHello (0.00s)\n2026-01-02T03:04:05.678Z ##[error]exit code 1',
  ...change,
});

describe('renderFailure', () => {
  it('names the failed steps and tests, the annotations and the end of the log', () => {
    const annotations = [
      { path: '.github', line: 1, level: 'failure', message: 'Process completed with exit code 1.' },
      { path: 'src/a.ts', line: 5, level: 'failure', message: 'Unused\n  variable' },
    ];
    expect(renderFailure(run, [job({ annotations })])).toEqual({
      summary: [
        `CI: failure on ${run.headSha} (attempt 2)`,
        run.url,
        'run id 7',
        '',
        'Job test: https://github.example/jobs/1',
        'Failed steps: Run npm test',
        'Failed tests found in the log:',
        '- TestHello',
        'Annotations:',
        '- src/a.ts:5 (failure): Unused variable',
        'Log:',
        '--- FAIL: TestHello (0.00s)',
        'Error: exit code 1',
      ].join('\n'),
      log: null,
    });
  });

  it('returns the whole log as well if the summary shortens the log of a job', () => {
    const long = `${'error: x\n'.repeat(3_000)}last line`;
    const { summary, log } = renderFailure(run, [job({}), job({ name: 'lint', log: long })]);
    expect(summary.match(/^Log.*:$/gm)).toEqual(['Log:', 'Log, shortened:']);
    expect(log).toContain('Log of job test:\n--- FAIL: TestHello');
    expect(log).toContain(`Log of job lint:\n${long}`);
  });

  it('renders a check without jobs and a job without a log', () => {
    expect(renderFailure(run, []).log).toBeNull();
    expect(renderFailure(run, [job({ log: null })])).toMatchObject({
      summary: expect.stringContaining('(the log is not available)'),
      log: null,
    });
  });

  it('gives each job an equal share of the summary', () => {
    const jobs = ['one', 'two', 'three', 'four'].map((name) =>
      job({ name, log: `${'error: x\n'.repeat(10_000)}the end of ${name}` }),
    );
    const { summary } = renderFailure(run, jobs);
    for (const { name } of jobs) expect(summary).toContain(`the end of ${name}`);
    expect(summary.length).toBeLessThan(17_000);
  });

  it('limits the summary and the log, no matter how many jobs fail and how long their logs are', () => {
    const log = `${'error: x\n'.repeat(120_000)}last line`;
    const message = 'm'.repeat(100_000);
    const annotations = Array.from({ length: 50 }, (_, line) => ({
      path: 'a',
      line,
      level: 'failure',
      message,
    }));
    const failure = renderFailure(
      run,
      Array.from({ length: 20 }, () => job({ log, annotations })),
      annotations,
    );
    expect(failure.summary.length).toBeLessThanOrEqual(32_000);
    expect(failure.log?.length).toBeLessThanOrEqual(201_000);
    expect(failure.log?.match(/last line/g)).toHaveLength(20);
  });
});
