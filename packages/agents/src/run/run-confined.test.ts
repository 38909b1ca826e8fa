import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { aRequest } from '@mergexo/testkit';
import { collectAll, collectTail } from '../output/bounded-output.js';
import { type Bench, createBench } from '../testing/bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { runConfined } from './run-confined.js';

const { all, bubblewrap } = await findSandboxes(process.env);

const PARENT = fileURLToPath(new URL('../../dist/testing/parent.js', import.meta.url));

const SECRETS = {
  GITHUB_TOKEN: 'canary-github',
  GH_TOKEN: 'canary-gh',
  MERGEXO_SECRET: 'canary-hmac',
  REDIS_URL: 'redis://:canary-redis@127.0.0.1',
  OPENAI_API_KEY: 'canary-model',
  SSH_AUTH_SOCK: '/canary-socket',
};

/** Runs the script as the agent and returns its output. */
async function play(bench: Bench, lines: string): Promise<unknown> {
  const run = await bench.agent(lines).runTurn(aRequest('bugfix_start'), bench.turnContext());
  if (run.kind === 'failed') throw new Error(run.message);
  return run.output;
}

describeIn(all, 'the environment of an agent in $name', ({ sandbox }) => {
  it('contains only allow-listed names, even in /proc', async () => {
    const { PATH } = process.env;
    const bench = createBench(sandbox, {
      ...SECRETS,
      PATH,
      LANG: 'C.UTF-8',
      LC_ALL: 'C.UTF-8',
      TZ: 'UTC',
      EDITOR: 'vi',
    });
    const names = await play(
      bench,
      `answer(Object.keys(process.env).filter((name) => !/^(PWD|__CF_.*)$/.test(name)).sort());`,
    );
    const marker = sandbox.kind === 'bwrap' ? [] : ['MERGEXO_RUN_ID'];
    expect(names).toEqual(['HOME', 'LANG', 'LC_ALL', ...marker, 'PATH', 'TERM', 'TMPDIR', 'TZ']);
    const home = await play(
      bench,
      `answer([process.env.HOME, fs.statSync(process.env.TMPDIR).isDirectory()]);`,
    );
    expect(home).toEqual([bench.home, true]);
    bench.remove();
  });
});

describeIn(all, 'the descriptors of an agent in $name', ({ sandbox }) => {
  it('include no descriptor that the worker inherited', async () => {
    const bench = createBench(sandbox, process.env);
    writeFileSync(join(bench.dir, 'secret'), 'canary-file');
    const { host, cwd, home } = bench;
    const argv = bench.script(
      `const fds = fs.readdirSync('/dev/fd').map(Number)
         .filter((fd) => attempt(() => fs.fstatSync(fd).isFile()) === true).map((fd) => fs.readFileSync(fd, 'utf8'));
       answer({ canary: JSON.stringify(fds).includes('canary') });`,
    );
    const job = { request: aRequest('bugfix_start'), host, argv, limits: { wallMs: 60_000 }, cwd, home };
    const secret = openSync(join(bench.dir, 'secret'), 'r');
    const { NODE_OPTIONS: _ours, ...env } = process.env;
    const parent = spawn(process.execPath, [PARENT, JSON.stringify(job)], {
      // Node closes inherited descriptors only up to the first gap, so the secret comes after a gap.
      stdio: ['ignore', 'pipe', 'ignore', ...Array<'ignore'>(37).fill('ignore'), secret],
      env,
    });
    closeSync(secret);
    if (parent.stdout === null) throw new Error('no output');
    const output = await text(parent.stdout);
    expect(JSON.parse(output).run).toMatchObject({ output: { canary: false } });
    bench.remove();
  });
});

describeIn(bubblewrap, 'an agent in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, { ...process.env, ...SECRETS });
    for (const name of ['other-slot', '.ssh']) mkdirSync(join(bench.dir, name));
    for (const name of ['state.db', 'secret', 'other-slot/file', '.ssh/id_rsa']) {
      writeFileSync(join(bench.dir, name), 'canary-file');
    }
  });
  afterEach(() => bench.remove());

  it('finds no secret in any process that it can see', async () => {
    const found = await play(
      bench,
      `const pids = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
       const text = pids.flatMap((pid) => ['environ', 'cmdline'].map((file) =>
         attempt(() => fs.readFileSync('/proc/' + pid + '/' + file, 'utf8')))).join('\\0');
       answer({ pids: pids.length, canary: text.includes('canary'), seesItself: text.includes('TMPDIR=/tmp') });`,
    );
    expect(found).toEqual({ pids: 2, canary: false, seesItself: true });
  });

  it('cannot see the database, the secret, other slots, the user’s keys or the worker’s records', async () => {
    const paths = ['state.db', 'secret', 'other-slot', '.ssh', 'runs'].map((name) => join(bench.dir, name));
    const outside = [
      ...paths,
      '/root',
      '/home',
      '/etc/shadow',
      '/etc/ssl/private',
      '/var/lib',
      '/run',
      '/sys',
      '/boot',
    ];
    const seen = await play(
      bench,
      `answer({
         seen: ${JSON.stringify(outside)}.filter((path) => fs.existsSync(path)
           && (!fs.statSync(path).isDirectory() || fs.readdirSync(path).length > 0)),
         siblings: fs.readdirSync(${JSON.stringify(bench.dir)}).sort(),
         root: fs.readdirSync('/').filter((name) => !/^(usr|s?bin|lib.*|etc|dev|proc|tmp|var|nix)$/.test(name)) });`,
    );
    const script = 'agent-1.mjs';
    expect(seen).toEqual({ seen: [], siblings: [script, 'home', 'slot'], root: expect.any(Array) });
  });

  it('can write to its slot, its home and its temporary directory, and nowhere else', async () => {
    const targets = {
      slot: 'file',
      home: join(bench.home, 'file'),
      tmp: '/tmp/file',
      root: '/file',
      usr: '/usr/file',
      etc: '/etc/file',
      script: join(bench.dir, 'agent-1.mjs'),
      system: '/proc/sys/kernel/domainname',
      magic: '/proc/sysrq-trigger',
    };
    const written = await play(
      bench,
      `answer(Object.entries(${JSON.stringify(targets)}).flatMap(([name, path]) =>
         attempt(() => fs.writeFileSync(path, 'x')) === undefined ? [name] : []));`,
    );
    expect(written).toEqual(['slot', 'home', 'tmp']);
    expect(readFileSync(join(bench.cwd, 'file'), 'utf8')).toBe('x');
    expect(existsSync('/tmp/file')).toBe(false);
  });

  it('leaves no file next to its slot after the turn', async () => {
    await play(
      bench,
      `answer({ done: attempt(() => fs.writeFileSync(${JSON.stringify(join(bench.dir, 'file'))}, 'x')) });`,
    );
    expect(existsSync(join(bench.dir, 'file'))).toBe(false);
  });

  it('cannot change kernel settings, even as root of its own namespace', async () => {
    const path = '/proc/sys/kernel/core_pattern';
    const script = `mount -o remount,bind,rw /proc/sys; umount -l /proc/sys; mount -t proc none /proc; cat ${path} > ${path}`;
    const result = await play(
      bench,
      `answer([
         attempt(() => fs.writeFileSync('${path}', fs.readFileSync('${path}', 'utf8'))),
         spawnSync('sh', ['-c', '${script}']).status !== 0,
         spawnSync('unshare', ['-rm', 'sh', '-c', '${script}']).status !== 0,
         spawnSync('unshare', ['-rmpf', 'sh', '-c', '${script}']).status !== 0 ]);`,
    );
    expect(result).toEqual([expect.stringMatching(/EROFS|EACCES/), true, true, true]);
  });

  it('cannot write through a link that points outside the slot', async () => {
    symlinkSync(join(bench.dir, 'secret'), join(bench.cwd, 'planted'));
    const result = await play(
      bench,
      `fs.symlinkSync(${JSON.stringify(join(bench.dir, 'state.db'))}, 'link');
       fs.symlinkSync(${JSON.stringify(bench.dir)}, 'up');
       answer(['planted', 'link', 'up/other-slot/file'].map((path) => [
         attempt(() => fs.readFileSync(path, 'utf8')), typeof attempt(() => fs.writeFileSync(path, 'x'))]));`,
    );
    expect(JSON.stringify(result)).not.toContain('canary');
    for (const name of ['secret', 'state.db', 'other-slot/file']) {
      expect(readFileSync(join(bench.dir, name), 'utf8')).toBe('canary-file');
    }
  });

  it('has no capabilities: it cannot signal, trace or mount anything', async () => {
    const result = await play(
      bench,
      `const status = fs.readFileSync('/proc/self/status', 'utf8');
       answer({
         rights: /CapEff:\\s*(\\w+)/.exec(status)[1],
         noNewPrivileges: /NoNewPrivs:\\s*(\\d)/.exec(status)[1],
         worker: attempt(() => process.kill(${process.pid}, 0)),
         mount: spawnSync('mount', ['-t', 'tmpfs', 'none', '/usr']).status !== 0 });`,
    );
    expect(result).toEqual({
      rights: '0000000000000000',
      noNewPrivileges: '1',
      worker: 'ESRCH',
      mount: true,
    });
  });

  it('can read, but not change, the read-only paths of the sandbox', async () => {
    mkdirSync(join(bench.dir, 'mirror'));
    writeFileSync(join(bench.dir, 'mirror/pack'), 'objects');
    const path = join(bench.dir, 'mirror/pack');
    const agent = bench.agent(
      `const path = ${JSON.stringify(path)};
       answer([fs.readFileSync(path, 'utf8'), attempt(() => fs.writeFileSync(path, 'x'))]);`,
    );
    const context = bench.turnContext({ readOnlyPaths: [join(bench.dir, 'mirror')] });
    const run = await agent.runTurn(aRequest('bugfix_start'), context);
    expect(run).toMatchObject({ output: ['objects', 'EROFS'] });
  });

  it('cannot be given a parent directory of its slot, which contains all other slots', async () => {
    const context = bench.turnContext({ readOnlyPaths: [bench.dir] });
    await expect(bench.agent('answer({});').runTurn(aRequest('bugfix_start'), context)).rejects.toThrow(
      'cannot be shown in the sandbox',
    );
  });

  it('cannot be given a link to a parent directory of its slot', async () => {
    const link = join(bench.dir, 'link');
    symlinkSync(bench.dir, link);
    const context = bench.turnContext({ readOnlyPaths: [link] });
    await expect(bench.agent('answer({});').runTurn(aRequest('bugfix_start'), context)).rejects.toThrow(
      'cannot be shown in the sandbox',
    );
    expect(readdirSync(bench.runsDir)).toEqual([]);
  });

  it.each(['all', 'none'] as const)(
    'can reach the network only if the network is allowed (%s)',
    async (network) => {
      const server = createServer((_request, response) => response.end('hello'));
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      const { port } = Object(server.address());
      const [stdout, stderr] = [collectAll(1_000), collectTail(1_000)];
      await runConfined(bench.host, {
        argv: bench.script(
          `process.stdout.write(await fetch('http://127.0.0.1:${port}').then((r) => r.text(), () => 'unreachable'));`,
        ),
        cwd: bench.cwd,
        home: bench.home,
        stdin: '',
        stdout: stdout.sink,
        stderr: stderr.sink,
        limits: { wallMs: 20_000 },
        signal: new AbortController().signal,
        network,
      });
      expect(stdout.text()).toBe(network === 'all' ? 'hello' : 'unreachable');
      await new Promise((resolve) => server.close(resolve));
    },
  );
});
