import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Result, readReport } from './read-report.js';

const ENVIRONMENT = '@stryker-mutator/jest-runner/dist/src/jest-plugins/jest-environment-node.cjs';

type Target = { folder: string; tests: readonly string[] };

/**
 * Plants bugs in a folder or file, one at a time, and runs the tests in the given folders. Reuses the results of the last run for
 * code and tests that have not changed.
 */
export async function runStryker(root: string, { folder, tests }: Target): Promise<Result> {
  const home = join(root, 'mutation');
  const name = folder.replace(/\.ts$/, '').replaceAll('/', '-');
  const sources = folder.endsWith('.ts') ? folder : `${folder}/**/*.ts,!**/*.test.ts,!**/index.ts`;
  const report = join(home, 'reports', `${name}.json`);
  mkdirSync(join(home, 'reports'), { recursive: true });
  const temporary = `.stryker-tmp/${name}`;
  const code = await run({
    root,
    args: [
      join(home, 'node_modules/@stryker-mutator/core/bin/stryker.js'),
      'run',
      'mutation/stryker.config.json',
      ...['--mutate', sources],
      ...['--incrementalFile', report, '--tempDirName', temporary],
    ],
    env: { STRYKER_ENVIRONMENT: join(home, 'node_modules', ENVIRONMENT), STRYKER_TESTS: tests.join(',') },
  });
  rmSync(join(root, temporary), { recursive: true, force: true });
  if (code !== 0)
    throw new Error(`StrykerJS failed in ${folder} with exit code ${code}. Its output is above.`);
  return readReport(readFileSync(report, 'utf8'));
}

function run({
  root,
  args,
  env,
}: {
  root: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}): Promise<number | null> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}
