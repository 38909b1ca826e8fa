import type { CheckRun } from './check-run.js';
import { type Annotation, type FailedJob, type JobLog, renderFailure } from './render-failure.js';

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
const aLog = (text: string, isCut = false): JobLog => ({ kind: 'read', text, isCut });
const render = (jobs: readonly FailedJob[], annotations: readonly Annotation[] = []) =>
  renderFailure(run, { jobs, annotations, isRead: true });
const job = (change: Partial<FailedJob>): FailedJob => ({
  name: 'test',
  url: 'https://github.example/jobs/1',
  steps: ['Run npm test'],
  annotations: [],
  log: aLog(
    '2026-01-02T03:04:05.678Z --- FAIL: TestHello (0.00s)\n2026-01-02T03:04:05.678Z ##[error]exit code 1',
  ),
  ...change,
});

describe('renderFailure', () => {
  it('names the failed steps and tests, the annotations and the end of the log', () => {
    const annotations = [
      { path: '.github', line: 1, level: 'failure', message: 'Process completed with exit code 1.' },
      { path: 'src/a.ts', line: 5, level: 'failure', message: 'Unused\n  variable' },
    ];
    expect(render([job({ annotations })])).toEqual({
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
    const { summary, log } = render([job({}), job({ name: 'lint', log: aLog(long) })]);
    expect(summary.match(/^Log.*:$/gm)).toEqual(['Log:', 'Log, shortened:']);
    expect(log?.isCut).toBe(false);
    expect(log?.text).toContain('Log of job test:\n--- FAIL: TestHello');
    expect(log?.text).toContain(`Log of job lint:\n${long}`);
  });

  it('renders a check without jobs and a job without a log', () => {
    expect(render([]).log).toBeNull();
    expect(render([job({ log: { kind: 'unavailable' } })])).toMatchObject({
      summary: expect.stringContaining('(the log is not available)'),
      log: null,
    });
  });

  it('gives each job an equal share of the summary', () => {
    const jobs = ['one', 'two', 'three', 'four'].map((name) =>
      job({ name, log: aLog(`${'error: x\n'.repeat(10_000)}the end of ${name}`) }),
    );
    const { summary } = render(jobs);
    for (const { name } of jobs) expect(summary).toContain(`the end of ${name}`);
    expect(summary.length).toBeLessThan(17_000);
  });

  it('limits the summary and the log, no matter how many jobs fail and how long their logs are', () => {
    const log = aLog(`${'error: x\n'.repeat(120_000)}last line`);
    const message = 'm'.repeat(100_000);
    const annotations = Array.from({ length: 50 }, (_, line) => ({
      path: 'a',
      line,
      level: 'failure',
      message,
    }));
    const failure = render(
      Array.from({ length: 30 }, () => job({ log, annotations })),
      annotations,
    );
    expect(failure.summary.length).toBeLessThanOrEqual(32_100);
    expect(failure.summary).toMatch(/\n\[\d+ more characters omitted\]$/);
    expect(failure.log?.text.length).toBeLessThanOrEqual(202_000);
    expect(failure.log?.text.match(/last line/g)).toHaveLength(20);
  });

  describe('names everything that it omits:', () => {
    it('tests and annotations', () => {
      const lines = Array.from({ length: 33 }, (_, index) => `--- FAIL: Test${index}`).join('\n');
      const annotations = Array.from({ length: 25 }, (_, line) => ({
        ...{ path: 'a.ts', level: 'failure', message: 'Unused' },
        line,
      }));
      const { summary } = render([job({ log: aLog(lines), annotations })], annotations);
      expect(summary).toContain('\n- Test29\n- and 3 more\n');
      expect(summary.match(/\n- a\.ts:19 \(failure\): Unused\n- and 5 more\n/g)).toHaveLength(2);
    });

    it('failed jobs', () => {
      const jobs = Array.from({ length: 43 }, (_, index) => job({ name: `job ${index}` }));
      const { summary } = render(jobs);
      expect(summary.match(/^Job /gm)).toHaveLength(20);
      expect(summary).toMatch(/\n\nMore failed jobs: job 20, .*, job 39, and 3 more$/);
    });

    it('logs and details that MergeXO did not read', () => {
      expect(render([job({ log: { kind: 'unread' } })]).summary).toContain(
        '(MergeXO did not read the log, because too many jobs failed)',
      );
      expect(renderFailure(run, { jobs: [], annotations: [], isRead: false }).summary).toContain(
        '\nMergeXO did not read the details, because too many checks failed at the same time.',
      );
    });

    it('the beginning of a log that MergeXO did not read', () => {
      const { summary, log } = render([job({ log: aLog('error: x', true) })]);
      expect(summary).toContain('Log, shortened; MergeXO read only its end:\nerror: x');
      expect(log).toEqual({ text: 'Log of job test (only its last 8 characters):\nerror: x', isCut: true });
    });

    it('the beginning of a log that is too long to store', () => {
      const { log } = render([job({ log: aLog('error: x\n'.repeat(30_000)) })]);
      expect(log?.isCut).toBe(true);
      expect(log?.text).toMatch(/^Log of job test \(only its last 200000 characters\):\n/);
    });
  });
});
