import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory } from '@mergexo/testkit';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const inJest = (file: string): string => fileURLToPath(new URL(`jest/${file}`, import.meta.url));

type JestRun = { code: number | null; output: string; skipped: string; failed: string };

/** Runs jest on one test file, with the reporter and the environment of this repository. */
async function runJest(tests: string): Promise<JestRun> {
  const directory = createTemporaryDirectory();
  try {
    const config = {
      reporters: ['default', inJest('report-suites.cjs')],
      testEnvironment: inJest('leak-checking-environment.cjs'),
      transform: {},
      // Makes jest start a worker process, as it does for many suites.
      workerIdleMemoryLimit: '1GB',
    };
    writeFileSync(join(directory.path, 'package.json'), '{}');
    writeFileSync(join(directory.path, 'some.test.js'), tests);
    const [skipped, failed] = [join(directory.path, 'skipped'), join(directory.path, 'failed')];
    const env = {
      PATH: process.env['PATH'],
      MERGEXO_SKIPPED_SUITES: skipped,
      MERGEXO_FAILED_SUITES: failed,
      MERGEXO_TEST_PATIENCE: '0.02',
    };
    const read = (file: string): string => readFileSync(file, 'utf8');
    const args = [JEST, '--forceExit', '--rootDir', directory.path, '--config', JSON.stringify(config)];
    return await new Promise((resolve) => {
      const child = execFile(process.execPath, args, { env, cwd: directory.path }, (_error, stdout, stderr) =>
        resolve({
          code: child.exitCode,
          output: stdout + stderr,
          skipped: read(skipped),
          failed: read(failed),
        }),
      );
    });
  } finally {
    directory.remove();
  }
}

/** Runs the reporter of the attacks on a run with this many passed tests, and returns its error. */
function reportAttempts(passed: number, suites: readonly string[]): unknown {
  const Reporter = createRequire(import.meta.url)(inJest('report-attempts.cjs'));
  const reporter = new Reporter({ rootDir: '/r' });
  const testResults = [{ testFilePath: '/r/a.attack.test.ts', numPassingTests: passed, numFailingTests: 0 }];
  const hasteFS = { getAllFiles: () => ['/r/a.ts', ...suites] };
  reporter.onRunComplete(new Set([{ hasteFS }]), { testResults, numPassedTests: passed, numFailedTests: 0 });
  return reporter.getLastError();
}

const SUITE = /^\S+some\.test\.js\n$/;

describe('a test run', () => {
  it('counts the tests that are skipped because a program is missing, and lists their suites', async () => {
    const { code, output, skipped, failed } = await runJest(`
      describe.skip('a page [chromium is not installed]', () => { it('a', () => {}); it('b', () => {}); });
      it.skip('c [gh is not installed]', () => {});
      it.skip('d', () => {});
      it('e [runs]', () => {});`);
    expect(code).toBe(0);
    expect(output.match(/^.* skipped: .*$/gm)).toEqual([
      '2 tests skipped: chromium is not installed',
      '1 test skipped: gh is not installed',
    ]);
    expect(skipped).toMatch(SUITE);
    expect(failed).toBe('');
  });

  it.each([
    ['a timer', `setInterval(() => {}, 1_000)`, 'Timeout'],
    [
      'a server',
      `await new Promise((done) => require('net').createServer().listen(0, '127.0.0.1', done))`,
      'TCPServerWrap',
    ],
    ['a process', `require('child_process').spawn('sleep', ['3'], { stdio: 'ignore' })`, 'ProcessWrap'],
  ])('fails if a suite leaves %s open', async (_what, leak, kind) => {
    const { code, output, failed } = await runJest(`it('passes', async () => { ${leak}; });`);
    expect([code, output]).toEqual([1, expect.stringContaining(`The tests left resources open: ${kind}.`)]);
    expect(failed).toMatch(SUITE);
  });

  it.each([
    ['a test', `it('fails', () => { throw new Error('no'); });`],
    ['the suite', `throw new Error('no');`],
  ])('lists a suite if %s fails', async (_what, tests) => {
    const { code, failed, skipped } = await runJest(tests);
    expect([code, skipped]).toEqual([1, '']);
    expect(failed).toMatch(SUITE);
  });

  it.each([
    ['fails with too few attempts', 399, ['/r/a.attack.test.ts'], expect.any(Error)],
    ['passes with enough attempts', 400, ['/r/a.attack.test.ts'], undefined],
    ['passes if only some of the suites run', 1, ['/r/a.attack.test.ts', '/r/b.attack.test.ts'], undefined],
  ])('of the attack tests %s', (_what, passed, suites, expected) => {
    expect(reportAttempts(passed, suites)).toEqual(expected);
  });
});
