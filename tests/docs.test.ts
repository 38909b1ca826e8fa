import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { COMMAND_KINDS, COMMAND_TRAITS } from '@mergexo/core/commands';
import { renderRedirect, renderWaitComment } from '@mergexo/core/outbox';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory, onlyWith } from '@mergexo/testkit';
import { z } from 'zod';
import { installedRedis } from './fleet/installed-redis.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = 'apps/cli/bin/mergexo.js';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

type Ended = { code: number | null; output: string };

function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: ROOT, env: { PATH: process.env['PATH'], ...env }, timeout: 120_000 };
    const child = execFile(file, [...args], options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

function listPages(): string[] {
  const docs = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  const packages = readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/README.md`);
  return ['README.md', ...docs, ...packages.filter((path) => existsSync(join(ROOT, path)))];
}

const FENCE = /^ *```[^\n]*\n[\s\S]*?^ *```/gm;
const LINK = /\[(?:[^\][]|\[[^\]]*\])*\]\(([^)\s]+)\)/g;
const withoutCode = (text: string): string => text.replace(FENCE, '').replace(/`[^`]*`/g, '');

/** The names that GitHub gives to headings. */
function listAnchors(text: string): string[] {
  const seen = new Map<string, number>();
  return [...text.replace(FENCE, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
}

function findBrokenLinks(page: string, text: string): string[] {
  const targets = [...withoutCode(text).matchAll(LINK)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#', 2);
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(ROOT, file))) return true;
      const there = path === '' ? text : anchor === undefined ? '' : read(file);
      return anchor !== undefined && !listAnchors(there).includes(anchor);
    })
    .map((target) => `${page}: ${target}`);
}

/** What a reader would copy: code spans and blocks. */
const codeOf = (text: string): string[] =>
  [...text.matchAll(FENCE), ...text.replace(FENCE, '').matchAll(/`[^`]+`/g)].map(([code]) => code);

function findMissingScripts(page: string, text: string): string[] {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  return [...text.matchAll(/npm run\s+(?:--silent\s+)?([a-z][\w:-]*)/g)]
    .filter(([, name = '']) => !(name in scripts))
    .map(([words]) => `${page}: ${words}`);
}

type Commands = Map<string, Commands>;

/** As `--help` tells them, so that a page cannot name what the program does not know. */
async function readCommands(...words: string[]): Promise<Commands> {
  const { output } = await run(process.execPath, [CLI, ...words, '--help'], {});
  const [, list = ''] = output.split('\nCommands:\n');
  const entries = [...list.matchAll(/^ {2}([a-z][\w-]*)(.*)$/gm)].filter(([, name]) => name !== 'help');
  const read = entries.map(async ([, name = '', rest = '']): Promise<[string, Commands]> => {
    const isLeaf = /^ (\[options\]|<)/.test(rest);
    return [name, isLeaf ? new Map() : await readCommands(...words, name)];
  });
  return new Map(await Promise.all(read));
}

/** `/mergexo …` is for GitHub, and not meant. */
function findMissingCommands(page: string, text: string, commands: Commands): string[] {
  const named = codeOf(text).flatMap((code) => [
    ...code.matchAll(/(?<![\w/.-])mergexo((?: [a-z][a-z-]*)+)/g),
  ]);
  return named.flatMap(([whole, words = '']) => {
    let level = commands;
    for (const word of words.trim().split(' ')) {
      if (level.size === 0) break;
      const next = level.get(word);
      if (next === undefined) return [`${page}: ${whole}`];
      level = next;
    }
    return [];
  });
}

const SOURCE = /^(?:apps|packages|tests|docs)\/[\w./-]+$/;

function findMissingFiles(page: string, text: string): string[] {
  return [...text.replace(FENCE, '').matchAll(/`([^`\s]+)`/g)]
    .filter(([, path = '']) => SOURCE.test(path) && !path.startsWith('docs/design'))
    .filter(([, path = '']) => !existsSync(join(ROOT, path)))
    .map(([, path]) => `${page}: ${path}`);
}

describe.each(listPages())('%s', (page) => {
  const text = read(page);

  it('links to nothing that is not there', () => {
    expect(findBrokenLinks(page, text)).toEqual([]);
  });

  it('names no script and no file that is not there', () => {
    expect([...findMissingScripts(page, text), ...findMissingFiles(page, text)]).toEqual([]);
  });
});

describe('the pages together', () => {
  it('name no command that is not there', async () => {
    const commands = await readCommands();
    expect([...commands.keys()]).toContain('doctor');
    expect([...(commands.get('feedback')?.get('blocked')?.keys() ?? [])]).toEqual(['list', 'reset']);
    expect(listPages().flatMap((page) => findMissingCommands(page, read(page), commands))).toEqual([]);
    const wrong =
      '`mergexo fly`, `mergexo feedback blocked forget` but `/mergexo fly`, `mergexo explain this`';
    expect(findMissingCommands('x', wrong, commands)).toEqual([
      'x: mergexo fly',
      'x: mergexo feedback blocked forget',
    ]);
  });

  it('name every command that a comment can give', () => {
    const forms = COMMAND_KINDS.flatMap((kind) => COMMAND_TRAITS[kind].help.map(({ form }) => form));
    const names = forms.map((form) => `/mergexo ${form.split(' ')[0]}`);
    expect(names.filter((name) => !read('README.md').includes(name))).toEqual([]);
  });

  it('write a command as the reader types it', () => {
    const bare = listPages().flatMap((page) =>
      codeOf(read(page)).flatMap((code) =>
        [...code.matchAll(/(?<![\w/.@-]|npx )mergexo (?!is )[a-z]+/g)].map(
          ([command]) => `${page}: ${command}`,
        ),
      ),
    );
    expect(bare).toEqual([]);
  });

  it('say where to comment before and after the pull request, in the words that are posted', () => {
    const readme = read('README.md').replace(/^> ?/gm, '').replace(/\s+/g, ' ');
    const redirect = renderRedirect(
      { number: 2, url: 'https://github.com/you/app/pull/2' },
      'https://github.com/you/app/issues/1',
    );
    const wait = renderWaitComment({
      waitKind: 'agent_blocked',
      reason: 'Which version of Postgres?',
      checkpoint: { branch: 'agent/bugfix/1-login-broken', sha: '4f0c…' },
      repoUrl: 'https://github.com/you/app',
      baseBranch: 'main',
    });
    for (const words of [redirect, wait]) expect(readme).toContain(words.replace(/\s+/g, ' '));
    expect(readme).toContain('enable_issue_comment_routing');
  });

  it('name every metric of the dashboard, and no other', () => {
    const source = read('apps/dashboard/src/render-metrics.ts');
    const calls = [...source.matchAll(/\b(?:gauge|counter)\(\s*'(\w+)'/g)].map(
      ([, name]) => `mergexo_${name}`,
    );
    const named = [...source.matchAll(/name: '(mergexo_\w+)'/g)].map(([, name]) => name);
    const told = [...read('docs/operations.md').matchAll(/\bmergexo_[a-z_]+/g)].map(([name]) => name);
    expect([...new Set(told)].sort()).toEqual([...calls, ...named].sort());
  });

  it('would show what is broken', () => {
    const text =
      '# A b: `c`!\n# A b: c\n[x](#a-b-c) [x](#a-b-c-1) [x](#gone) [x](gone.md) [x](README.md#gone) `[x](no)`';
    expect(findBrokenLinks('README.md', text)).toEqual(
      ['#gone', 'gone.md', 'README.md#gone'].map((to) => `README.md: ${to}`),
    );
    expect(findMissingScripts('x', '`npm run\nflying`, `npm run demo`')).toEqual(['x: npm run\nflying']);
    expect(findMissingFiles('x', '`apps/gone.ts` `apps/cli`')).toEqual(['x: apps/gone.ts']);
  });
});

const Service = z.object({
  user: z.string().optional(),
  command: z.array(z.string()),
  environment: z.record(z.string(), z.string()),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  stop_grace_period: z.string().regex(/^\d+s$/),
  restart: z.string(),
  volumes: z.array(z.string()),
});
const Compose = z.object({
  services: z.object({ redis: Service, poller: Service, worker: Service, dashboard: Service }),
  volumes: z.record(z.string(), z.unknown()),
});

function readCompose() {
  const yaml: { load(text: string): unknown } = createRequire(import.meta.url)('js-yaml');
  return Compose.parse(yaml.load(read('docker-compose.yml')));
}

describe('docker-compose.yml and the Dockerfile', () => {
  const { services, volumes } = readCompose();
  const { redis, poller, worker, dashboard } = services;
  const dockerfile = read('Dockerfile');
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  it.each(Object.entries({ poller, worker, dashboard }))(
    '%s: its program is there and starts as in the image',
    async (name, service) => {
      const [program = ''] = service.command;
      expect(program).toMatch(/^apps\/\w+\/dist\/main\.js$/);
      const env = {
        HOME: directory.path,
        NODE_ENV: 'production',
        MERGEXO_CONFIG: join(directory.path, 'no.toml'),
      };
      const { code, output } = await run(process.execPath, service.command, env);
      expect(output).toContain(`mergexo ${name}: `);
      expect(output).toContain('the file does not exist');
      expect(code).toBe(1);
    },
  );

  it('runs nothing as root, drops capabilities and gives time to drain', () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile.slice(dockerfile.indexOf('\nUSER node'))).not.toMatch(/^USER (?!node)/m);
    expect(redis.user).toBe('redis');
    for (const service of Object.values(services)) {
      expect(service.cap_drop).toEqual(['ALL']);
      expect(service.security_opt).toContain('no-new-privileges:true');
      expect(service.restart).toBe('unless-stopped');
    }
    const [, grace] = /drain_grace_seconds` \| `(\d+)`/.exec(read('docs/configuration.md')) ?? [];
    expect(Number.parseInt(worker.stop_grace_period, 10)).toBeGreaterThan(Number(grace) + 20);
  });

  it('gives workers neither the secret nor a shared volume', () => {
    expect(Object.keys(worker.environment)).not.toContain('MERGEXO_SECRET');
    expect(
      worker.volumes.filter((volume) => Object.keys(volumes).includes(volume.split(':')[0] ?? '')),
    ).toEqual([]);
    for (const service of [poller, dashboard]) expect(service.volumes).toContain('state:/data');
  });

  it('hands no password over as an argument', () => {
    // Redis hides its arguments once it runs, so they cannot be looked at there.
    expect(redis.command.join(' ')).not.toMatch(/--requirepass|redis-server.*\$\$/);
  });

  it('asks for what .env.example lists, and for nothing else', () => {
    const asked = [...read('docker-compose.yml').matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name);
    const listed = [...read('.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...new Set(asked)].sort());
  });

  it('copies and starts what is there', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+) \.\/(\S*)$/gm)].map(
      ([, path = '']) => path,
    );
    expect(copied).toEqual(['package.json', 'node_modules', 'packages', 'apps']);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node"\]$/m);
    const [, program = ''] = /^CMD \["([^"]+)"/m.exec(dockerfile) ?? [];
    expect(existsSync(join(ROOT, program))).toBe(true);
  });

  it('sees by its health checks whether poller and dashboard are well', async () => {
    const [, ...status] = poller.healthcheck?.test ?? [];
    const config = join(directory.path, 'mergexo.toml');
    const env = { HOME: directory.path, MERGEXO_CONFIG: config, MERGEXO_SECRET: 's'.repeat(64) };
    const check = () => run(process.execPath, status.slice(1), env);
    expect(status[0]).toBe('node');
    expect((await check()).code).toBe(1);
    expect((await run(process.execPath, [CLI, 'init', '--repo', 'o/n'], env)).code).toBe(0);
    // No poller has run yet, one runs, one died.
    const beat = (at: number): void => {
      const state = openState(join(directory.path, '.local/share/mergexo/state.db'));
      state.saveHealth({ subject: 'poller', code: 'ok', detail: null }, at);
      state.close();
    };
    expect((await check()).code).toBe(1);
    beat(Date.now());
    expect(await check()).toMatchObject({ code: 0 });
    beat(Date.now() - 60_000);
    expect((await check()).code).toBe(1);

    const [, node, ...args] = dashboard.healthcheck?.test ?? [];
    expect(node).toBe('node');
    const server = createServer((request, response) => response.end(request.url)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = z.object({ port: z.int() }).parse(server.address());
    const ask = () =>
      run(
        process.execPath,
        args.map((text) => text.replace(':7420/', `:${port}/`)),
        {},
      );
    expect((await ask()).code).toBe(0);
    server.close();
    await once(server, 'close');
    expect((await ask()).code).toBe(1);
  });

  const missing = installedRedis === 'redis-server' ? undefined : 'redis-server is not installed';
  onlyWith(missing).it('starts a Redis that wants its password', async () => {
    const socket = join(directory.path, 'r.sock');
    const conf = join(directory.path, 'redis.conf');
    const [shell = '', ...args] = redis.command.map((text) =>
      text
        .replaceAll('$$', '$')
        .replaceAll('/tmp/redis.conf', conf)
        .replace('dir /data', `dir ${directory.path}`),
    );
    args.push(`${args.pop()} --port 0 --unixsocket ${socket}`);
    const env = { PATH: process.env['PATH'], REDIS_PASSWORD: 'f00d'.repeat(16) };
    const child = spawn(shell, args, { env, stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      while (!existsSync(socket) && child.exitCode === null) await sleep(20);
      const [, test = ''] = redis.healthcheck?.test ?? [];
      const ping = test.replaceAll('$$', '$').replace('redis-cli', `redis-cli -s ${socket}`);
      expect(await run('sh', ['-c', ping], { REDIS_PASSWORD: env.REDIS_PASSWORD })).toMatchObject({
        code: 0,
      });
      expect(await run('sh', ['-c', ping], { REDIS_PASSWORD: 'wrong' })).toMatchObject({ code: 1 });
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});
