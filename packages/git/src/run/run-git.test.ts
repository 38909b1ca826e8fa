import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { git, SEARCH_PATH } from '../testing/shell.js';
import { parseRemote } from './parse-remote.js';
import { createRunGit } from './run-git.js';

const RUN_GIT = fileURLToPath(new URL('../../dist/run/run-git.js', import.meta.url));

describe('createRunGit', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  const limits = { localMs: 20_000, networkMs: 20_000, outputBytes: 1_000_000 };
  const create = (options: Partial<Parameters<typeof createRunGit>[0]> = {}) =>
    createRunGit({
      baseDir: directory.path,
      searchPath: SEARCH_PATH,
      credential: async () => 'secret-token',
      limits,
      ...options,
    });

  /** Replaces git with this script. */
  function pretend(script: string): string {
    writeFileSync(join(directory.path, 'git'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(directory.path, 'git'), 0o755);
    return `${directory.path}:/usr/bin:/bin`;
  }

  it('returns exit code and output unchanged', async () => {
    const run = create({ searchPath: pretend('echo out; echo err >&2; exit 7') });
    const ran = await run({ action: 'asking', args: ['x'] });
    expect(ran).toMatchObject({ code: 7, stderr: 'err\n' });
    expect(ran.stdout.toString()).toBe('out\n');
  });

  it('does not pass on the worker’s environment, and passes the token only to a command for the remote', async () => {
    process.env['MERGEXO_CANARY'] = 'canary';
    process.env['GIT_DIR'] = '/elsewhere';
    process.env['GIT_TRACE_CURL'] = '2';
    process.env['DEBUG'] = 'simple-git';
    try {
      const run = create({ searchPath: pretend('env | sort') });
      const local = (await run({ action: 'asking', args: ['x'] })).stdout.toString();
      expect(local).not.toMatch(/canary|elsewhere|Authorization|NODE_OPTIONS|TRACE|DEBUG|SSH_/i);
      expect(local).toContain('GIT_CONFIG_GLOBAL=/dev/null');
      const remote = parseRemote('https://github.com/acme/app.git');
      const seen = join(directory.path, 'seen');
      await create({ searchPath: pretend(`env > ${seen}`) })({ action: 'asking', args: ['x'], remote });
      const network = readFileSync(seen, 'utf8');
      const header = `Basic ${Buffer.from('x-access-token:secret-token').toString('base64')}`;
      expect(network).toContain(`=Authorization: ${header}`);
      expect(network).toContain('=http.https://github.com/.extraHeader');
      expect(network).toContain('GIT_ALLOW_PROTOCOL=https\n');
    } finally {
      delete process.env['MERGEXO_CANARY'];
      delete process.env['GIT_DIR'];
      delete process.env['GIT_TRACE_CURL'];
      delete process.env['DEBUG'];
    }
  });

  it("hides the token in git's errors", async () => {
    const run = create({ searchPath: pretend('env >&2; exit 1') });
    const remote = parseRemote('https://github.com/acme/app.git');
    const { stderr } = await run({ action: 'asking', args: ['x'], remote });
    expect(stderr).toContain('Basic ***');
  });

  it("hides the token in git's output, and treats an empty token as none", async () => {
    const remote = parseRemote('https://github.com/acme/app.git');
    const ran = await create({ searchPath: pretend('env') })({ action: 'asking', args: ['x'], remote });
    expect(ran.stdout.toString()).toContain('Basic ***');
    const empty = create({ searchPath: pretend('env; echo said >&2'), credential: async () => '' });
    const { stdout, stderr } = await empty({ action: 'asking', args: ['x'], remote });
    expect(stdout.toString()).not.toContain('Authorization');
    expect(stderr).toBe('said\n');
  });

  it('prints no token with any debug logger enabled', async () => {
    const script = `
      import { createRequire } from 'node:module';
      createRequire(createRequire('${RUN_GIT}').resolve('simple-git'))('debug');
      const { createRunGit } = await import('${RUN_GIT}');
      const limits = { localMs: 20000, networkMs: 20000, outputBytes: 1000000 };
      const credential = async () => 'secret-token';
      const options = { baseDir: '${directory.path}', searchPath: '/usr/bin:/bin', credential, limits };
      const remote = { url: 'https://127.0.0.1:1/x', protocol: 'https', origin: 'https://127.0.0.1:1' };
      const { code } = await createRunGit(options)({ action: 'asking', args: ['--version'], remote });
      console.log('ended with', code);`;
    const args = ['--input-type=module', '-e', script];
    for (const DEBUG of ['*', 'simple-git', 'simple-git:*', 'other,simple-git:task:*']) {
      const env = { PATH: SEARCH_PATH, DEBUG, GIT_TRACE: '1', GIT_TRACE_CURL: '1' };
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
      expect(stdout).toBe('ended with 0\n');
      expect(stderr).not.toMatch(/Authorization|secret-token|simple-git/);
    }
  });

  it('ends a command that takes too long', async () => {
    const run = create({ searchPath: pretend('exec sleep 30'), limits: { ...limits, localMs: 100 } });
    await expect(run({ action: 'waiting', args: ['x'] })).rejects.toMatchObject({ kind: 'timed-out' });
  });

  it('does not wait forever for a command that ignores signals', async () => {
    const run = create({
      searchPath: pretend('trap "" INT; exec sleep 9'),
      limits: { ...limits, localMs: 50 },
    });
    await expect(run({ action: 'waiting', args: ['x'] })).rejects.toMatchObject({ kind: 'timed-out' });
  });

  it('ends a command when the turn ends, and starts no further command', async () => {
    const run = create({ searchPath: pretend('exec sleep 30') });
    const controller = new AbortController();
    const running = run({ action: 'waiting', args: ['x'], signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(running).rejects.toThrow('waiting was interrupted because the turn was stopped');
    const late = create({ searchPath: pretend('touch started') })({
      action: 'late',
      args: ['x'],
      signal: controller.signal,
    });
    await expect(late).rejects.toMatchObject({ kind: 'timed-out' });
  });

  it('ends a fetch from a remote that does not respond', async () => {
    const twin = await startTwin({
      seed: { users: [{ login: 'acme' }], repos: [{ name: 'acme/app', private: false, files: { a: 'x' } }] },
    });
    try {
      twin.control.fault({ route: 'GIT fetch-refs', kind: 'hang', times: null });
      const run = create({ limits: { ...limits, networkMs: 300 }, credential: async () => undefined });
      const remote = parseRemote(twin.gitUrl('acme', 'app'));
      const asking = run({ action: 'asking', args: ['ls-remote', remote.url], remote });
      await expect(asking).rejects.toMatchObject({ kind: 'timed-out' });
    } finally {
      await twin.stop();
    }
  });

  it('limits the output that it keeps', async () => {
    const run = create({ searchPath: pretend('exec yes') });
    await expect(run({ action: 'asking', args: ['x'] })).rejects.toMatchObject({ kind: 'invalid-data' });
    const loud = create({ searchPath: pretend('exec yes >&2') });
    await expect(loud({ action: 'asking', args: ['x'] })).rejects.toMatchObject({ kind: 'invalid-data' });
  });

  describe('in a hostile repository', () => {
    const gitDir = () => join(directory.path, 'hostile.git');
    beforeEach(() => git(directory.path, 'init', '-q', '--bare', gitDir()));

    it('refuses memory for an object that claims to be huge', async () => {
      const id = 'ab'.repeat(20);
      mkdirSync(join(gitDir(), 'objects/ab'));
      const object = deflateSync(`commit ${1024 ** 3}\0tree`);
      writeFileSync(join(gitDir(), 'objects/ab', id.slice(2)), object);
      const read = { action: 'reading', args: ['cat-file', 'commit', id], gitDir: gitDir() };
      expect(await create()(read)).toMatchObject({
        code: 128,
        stderr: expect.stringMatching(/attempting to allocate \d+ over limit/),
      });
    });

    it.each(['pack.threads', 'index.threads'])('uses one thread, whatever it says: %s', async (name) => {
      git(gitDir(), 'config', name, '8');
      const ran = await create()({ action: 'asking', args: ['config', name], gitDir: gitDir() });
      expect(ran.stdout.toString()).toBe('1\n');
    });
  });

  it('searches for git only in absolute directories, and reports a missing git', async () => {
    pretend('echo planted');
    const run = create({ searchPath: '.::/nonexistent' });
    const ran = await run({ action: 'asking', args: ['x'] });
    expect(ran.code).not.toBe(0);
    expect(ran.stdout.toString()).toBe('');
    expect(ran.stderr).toContain('ENOENT');
  });

  it('contacts no host unless a remote is given', async () => {
    const run = create();
    for (const url of ['ext::touch marker', 'https://127.0.0.1:1/x.git', directory.path]) {
      const ran = await run({ action: 'asking', args: ['ls-remote', url] });
      expect(ran.stderr).toMatch(/transport '\w+' not allowed/);
    }
  });
});
