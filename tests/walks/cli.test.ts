import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findDataDirectory, markSecret } from '@mergexo/config';
import { eventually, startProgram, useTemporaryDirectory } from '@mergexo/testkit';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const APP = (name: string): string =>
  fileURLToPath(new URL(`../../apps/${name}/dist/main.js`, import.meta.url));
const STACK = /\n\s+at .*:\d+/;
const NOBODY = 65_534;
const VALID = '[repo.demo]\nowner = "ada"\nname = "engine"\n';

describe('the mergexo command', () => {
  const pathTo = useTemporaryDirectory();
  let config: string;
  beforeEach(() => {
    config = pathTo('etc', 'mergexo.toml');
  });

  const run = async (
    args: string[],
    env: NodeJS.ProcessEnv = {},
  ): Promise<{ code: number | null; output: string }> => {
    const program = startProgram(CLI, args, { HOME: pathTo(), MERGEXO_CONFIG: config, ...env });
    return { code: await program.exited, output: program.output() };
  };
  const base = (name: string): string => join(findDataDirectory({ env: {}, homeDir: pathTo() }), name);

  it('prints its help', async () => {
    const { code, output } = await run(['--help']);
    expect(code).toBe(0);
    expect(output).toContain('init [options]');
    expect(output).toContain('doctor [options]');
    const doctor = await run(['doctor', '--help']);
    for (const option of ['--config', '--verbose', '--json']) expect(doctor.output).toContain(option);
    expect((await run(['--version'])).output).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('loads a command’s modules only when the command runs', () => {
    const early = ['main', 'command-line', 'data-commands', 'operator-commands'].flatMap((file) => {
      const source = readFileSync(new URL(`../../apps/cli/src/${file}.ts`, import.meta.url), 'utf8');
      return [...source.matchAll(/^import (?!type )[^;]*?'([^']+)'/gms)].map(([, from]) => from);
    });
    // Only two files without imports come from core, because loading all of core is slow.
    const core = { 'mergexo-cli': 'basics', printable: 'text' };
    const own = ['command-line', 'confirm', 'context', 'data-commands', 'operator-commands', 'printable'];
    expect([...new Set(early)].sort()).toEqual(
      [...own.map((file) => `./${file}.js`), 'commander', 'node:os', '@mergexo/core/mergexo-cli'].sort(),
    );
    for (const [file, folder] of Object.entries(core)) {
      const path = new URL(`../../packages/core/src/${folder}/${file}.ts`, import.meta.url);
      expect(readFileSync(path, 'utf8')).not.toMatch(/^import|^export .* from/m);
    }
  });

  it.each<[string[], RegExp]>([
    [['nonsense'], /unknown command 'nonsense'/],
    [['status', '--nonsense'], /unknown option '--nonsense'/],
    [['status', 'nonsense'], /too many arguments/],
    [['explain'], /missing required argument/],
    [['explain', 'x'], /number of an issue/],
    [['run'], /Add --once/],
    [['up', '--workers', '0'], /whole number from 1 to 64/],
    [['service', 'print', '--launchd', '--systemd'], /not both/],
    [['feedback', 'blocked', 'reset'], /Use --pr <number>/],
    [['cost', '--by', 'person'], /--by must be one of issue, day, repo, phase/],
    [['pause', 'x'], /number of an issue or pull request/],
    [['cancel'], /missing required argument/],
    [['open', 'x'], /number of an issue/],
    [['restore', 'nowhere', '--yes'], /nowhere is not a backup/],
    [['completion', 'tcsh'], /must be bash, zsh, fish/],
    [['demo', '--step-timeout', 'x'], /--step-timeout must be a number/],
  ])('exits with code 2 for the invalid arguments %j', async (args, reason) => {
    expect(await run(args)).toEqual({ code: 2, output: expect.stringMatching(reason) });
  });

  it.each<[string, string[], RegExp]>([
    ['poller', ['--nonsense'], /Unknown option '--nonsense'/],
    ['worker', ['--slots', '0'], /--slots must be a whole number/],
    ['worker', ['nonsense'], /Unexpected argument 'nonsense'/],
    ['dashboard', ['--config'], /'--config <value>' argument missing/],
  ])(
    'the %s on its own exits with code 2 for the invalid arguments %j, without a stack trace',
    async (app, args, reason) => {
      const program = startProgram(APP(app), args, { MERGEXO_CONFIG: config });
      expect(await program.exited).toBe(2);
      expect(program.output()).toMatch(reason);
      expect(program.output()).not.toMatch(STACK);
    },
  );

  it('the poller without a GitHub login reports the next step once, and waits for a login', async () => {
    mkdirSync(join(config, '..'), { recursive: true });
    const runtime = `[runtime]\nbase_dir = ${JSON.stringify(pathTo('data'))}\n`;
    writeFileSync(
      config,
      `${runtime}poll_interval_seconds = 1\n[github]\napi_url = "http://127.0.0.1:9"\n${VALID}`,
    );
    const env = { MERGEXO_CONFIG: config, GITHUB_TOKEN: '', GH_TOKEN: '', PATH: pathTo() };
    const program = startProgram(APP('poller'), [], env);
    try {
      await eventually(() => expect(program.output()).toContain('No GitHub login was found; '), 20_000);
      await new Promise((done) => setTimeout(done, 3_000));
      expect(program.child.exitCode).toBeNull();
      expect(program.output().split('"level":"warn"').length - 1).toBe(1);
    } finally {
      program.kill('SIGTERM');
      await program.exited;
    }
  });

  describe('as a user without file permissions', () => {
    const runAs = (script: string, ...args: string[]) =>
      spawnSync(process.execPath, ['--no-warnings', script, ...args, '--config', config], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: pathTo(), GITHUB_TOKEN: 'x' },
        timeout: 60_000,
        // Root ignores file permissions, so the test runs as the user nobody.
        ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
      });

    it.each<[string, string[]]>([
      [CLI, ['status']],
      [CLI, ['doctor']],
      [CLI, ['explain', '1']],
      [CLI, ['feedback', 'blocked', 'list']],
      [CLI, ['run', '--once']],
      [CLI, ['up', '--workers', '1']],
      [CLI, ['init']],
      [APP('poller'), []],
      [APP('worker'), []],
      [APP('dashboard'), []],
    ])('%s %j names the path instead of printing a stack trace', (script, args) => {
      mkdirSync(join(config, '..'), { recursive: true });
      chmodSync(pathTo(), 0o755);
      const closed = pathTo('closed');
      mkdirSync(closed, { mode: 0o555 });
      for (const [mode, path] of [
        [0o644, closed],
        [0o000, config],
      ] as const) {
        writeFileSync(config, `[runtime]\nbase_dir = ${JSON.stringify(closed)}\n${VALID}`);
        chmodSync(config, mode);
        const { status, stdout, stderr } = runAs(script, ...args);
        expect([path, status, stdout + stderr]).toEqual([path, 1, expect.stringContaining(path)]);
        expect(stdout + stderr).not.toMatch(STACK);
        rmSync(config);
      }
    });
  });

  it('init creates a private config, directory, database and secret, and a second init keeps all of them', async () => {
    expect((await run(['init', '--repo', 'ada/engine'])).code).toBe(0);
    const before = [config, base('secret')].map((path) => readFileSync(path, 'utf8'));
    expect(before[0]).toContain('owner = "ada"');
    // The config contains no secret, and the containers of docker-compose.yml read it as another user.
    expect(statSync(config).mode & 0o777).toBe(0o644 & ~process.umask());
    for (const file of ['state.db', 'secret']) expect(statSync(base(file)).mode & 0o777).toBe(0o600);
    expect(statSync(base('.')).mode & 0o777).toBe(0o700);

    const again = await run(['init', '--json']);
    expect(JSON.parse(again.output)).toMatchObject({
      ok: true,
      files: Array.from({ length: 4 }, () => ({ result: 'kept' })),
    });
    expect([config, base('secret')].map((path) => readFileSync(path, 'utf8'))).toEqual(before);
  });

  it('init reports the next step if a database exists but its secret is lost, and creates no new secret', async () => {
    await run(['init', '--repo', 'ada/engine']);
    const before = readFileSync(base('secret'), 'utf8');
    rmSync(base('secret'));
    const { code, output } = await run(['init']);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/Restore that file from a backup.*MERGEXO_SECRET/),
    ]);
    expect(existsSync(base('secret'))).toBe(false);
    expect((await run(['doctor', '--json'])).output).toContain('from a backup, or set MERGEXO_SECRET');
    const given = await run(['init', '--json'], { MERGEXO_SECRET: before.trim() });
    expect(JSON.parse(given.output).files).toContainEqual({
      name: 'secret',
      path: 'MERGEXO_SECRET',
      result: 'kept',
    });
    expect(existsSync(base('secret'))).toBe(false);
  });

  it('doctor reports a secret that does not match the database', async () => {
    await run(['init', '--repo', 'ada/engine']);
    const old = { current: readFileSync(base('secret'), 'utf8').trim(), older: [] };
    markSecret(base('secret'), old);
    const runSecretCheck = async (env: NodeJS.ProcessEnv) => {
      const { output } = await run(['doctor', '--json'], env);
      return JSON.parse(output).checks.find(({ name }: { name: string }) => name === 'secret');
    };
    expect(await runSecretCheck({})).toMatchObject({ status: 'ok' });
    const other = 'b'.repeat(64);
    expect(await runSecretCheck({ MERGEXO_SECRET: other })).toMatchObject({
      status: 'failure',
      fix: expect.stringContaining('mergexo adopt --repo'),
    });
    expect(await runSecretCheck({ MERGEXO_SECRET: `${other} ${old.current}` })).toMatchObject({
      status: 'ok',
    });
  });

  it.each(['engine', 'a/b/c', '../x', 'a b/c'])('init rejects --repo %j and writes nothing', async (repo) => {
    const { code, output } = await run(['init', '--repo', repo]);
    expect([code, output]).toEqual([2, expect.stringContaining('--repo must look like owner/name')]);
    expect(existsSync(config)).toBe(false);
  });

  it('doctor reports no problem after init', async () => {
    await run(['init', '--repo', 'ada/engine']);
    const { output } = await run(['doctor', '--json']);
    const { checks }: { checks: { name: string; status: string }[] } = JSON.parse(output);
    const localChecks = ['node', 'git', 'config', 'disk', 'database', 'secret', 'redis'];
    expect(
      checks.filter(({ name }) => localChecks.includes(name)).map(({ name, status }) => [name, status]),
    ).toEqual(localChecks.map((name) => [name, 'ok']));
  });
  it.each<[string, string, () => void, RegExp]>([
    ['a missing config', 'config', () => {}, /run `npx mergexo init`/],
    ['a broken config', 'config', () => writeConfig('runtime = 1'), /runtime/],
    ['a missing database', 'database', () => writeConfig(VALID), /is missing.*Run `npx mergexo init`/s],
    [
      'a file that is not a database',
      'database',
      () => writeDataFile('state.db', 'not a database'),
      /damaged|not a database/,
    ],
    ['a missing secret', 'secret', () => writeConfig(VALID), /signing secret is missing/],
    [
      'an unreachable Redis',
      'redis',
      () => writeConfig(`${VALID}\n[redis]\nurl = "redis://127.0.0.1:1"`),
      /does not respond/,
    ],
    ['no git', 'git', () => writeConfig(VALID), /git is not on the PATH/],
  ])('doctor finds %s and names the fix', async (_name, check, prepare, message) => {
    prepare();
    const { code, output } = await run(['doctor', '--json'], check === 'git' ? { PATH: '/nonexistent' } : {});
    expect(code).toBe(1);
    const found = JSON.parse(output).checks.find(({ name }: { name: string }) => name === check);
    expect(found.status).toBe('failure');
    expect(JSON.stringify(found)).toMatch(message);
  });

  function writeConfig(text: string): void {
    mkdirSync(pathTo('etc'), { recursive: true });
    writeFileSync(config, text);
  }
  function writeDataFile(name: string, text: string): void {
    writeConfig(VALID);
    mkdirSync(base('.'), { recursive: true, mode: 0o700 });
    writeFileSync(base(name), text, { mode: 0o600 });
  }
});
