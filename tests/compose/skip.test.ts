import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { useTemporaryDirectory } from '@mergexo/testkit';

const MAIN = fileURLToPath(new URL('../dist/compose/main.js', import.meta.url));

describe('npm run test:compose', () => {
  const pathTo = useTemporaryDirectory();

  /** Runs the test on a machine that has no programs. */
  const run = (...options: string[]) => {
    mkdirSync(pathTo('tmp'), { recursive: true });
    const env = { PATH: pathTo('bin'), TMPDIR: pathTo('tmp') };
    return spawnSync(process.execPath, [MAIN, ...options], { env, encoding: 'utf8' });
  };

  it('is skipped with the reason where no engine can be had, and leaves nothing behind', () => {
    const { status, stdout } = run('--smoke');
    expect(stdout).toMatch(/skipped: no Docker engine is running\b/);
    expect(status).toBe(0);
    expect(readdirSync(pathTo('tmp'))).toEqual([]);
  });

  it('fails there with --require, so that the nightly run cannot pass without an engine', () => {
    expect(run('--require').status).toBe(1);
  });
});
