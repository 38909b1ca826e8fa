import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory } from '@mergexo/testkit';

const JEST = createRequire(import.meta.url).resolve('jest/bin/jest');
const inJest = (file: string): string => fileURLToPath(new URL(`jest/${file}`, import.meta.url));

/** Runs jest, with the reporter and the environment of this repository, on one file of tests. */
async function runJest(tests: string): Promise<{ code: number | null; output: string; suites: string }> {
  const directory = createTemporaryDirectory();
  try {
    const config = {
      reporters: ['default', inJest('report-skips.cjs')],
      testEnvironment: inJest('leak-checking-environment.cjs'),
      transform: {},
      // Makes jest start a worker process, as it does for many suites.
      workerIdleMemoryLimit: '1GB',
    };
    writeFileSync(join(directory.path, 'package.json'), '{}');
    writeFileSync(join(directory.path, 'some.test.js'), tests);
    const list = join(directory.path, 'suites');
    const env = { PATH: process.env['PATH'], MERGEXO_SKIPPED_SUITES: list, MERGEXO_TEST_PATIENCE: '0.02' };
    const args = [JEST, '--forceExit', '--rootDir', directory.path, '--config', JSON.stringify(config)];
    return await new Promise((resolve) => {
      const child = execFile(process.execPath, args, { env, cwd: directory.path }, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode, output: stdout + stderr, suites: readFileSync(list, 'utf8') }),
      );
    });
  } finally {
    directory.remove();
  }
}

describe('a run of the tests', () => {
  it('counts the tests that a missing program skips, and lists their suites', async () => {
    const { code, output, suites } = await runJest(`
      describe.skip('a page [chromium is not installed]', () => { it('a', () => {}); it('b', () => {}); });
      it.skip('c [gh is not installed]', () => {});
      it.skip('d', () => {});
      it('e [runs]', () => {});`);
    expect(code).toBe(0);
    expect(output.match(/^.* skipped: .*$/gm)).toEqual([
      '2 tests skipped: chromium is not installed',
      '1 test skipped: gh is not installed',
    ]);
    expect(suites).toMatch(/^\S+some\.test\.js\n$/);
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
    const { code, output } = await runJest(`it('passes', async () => { ${leak}; });`);
    expect([code, output]).toEqual([1, expect.stringContaining(`The tests left resources open: ${kind}.`)]);
  });
});
