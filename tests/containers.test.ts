import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
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
  ports: z.array(z.string()).optional(),
  mem_limit: z
    .string()
    .regex(/^\d+g$/)
    .optional(),
  memswap_limit: z.string().optional(),
  pids_limit: z.int().optional(),
  ulimits: z.object({ core: z.literal(0), nofile: z.int() }).optional(),
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
    'the %s service runs an existing program with the image’s command',
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

  it('run no service as root, drop all capabilities, and give each service time to drain', () => {
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

  it('limit workers to slightly more than one turn may use', () => {
    const defaultOf = (key: string): number =>
      Number(new RegExp(`\`${key}\` \\| \`(\\d+)\``).exec(read('docs/configuration.md'))?.[1]);
    const memoryMb = Number.parseInt(worker.mem_limit ?? '', 10) * 1024;
    expect(memoryMb).toBeGreaterThan(defaultOf('max_memory_mb'));
    expect(memoryMb).toBeLessThan(2 * defaultOf('max_memory_mb'));
    expect(worker.memswap_limit).toBe(worker.mem_limit);
    expect(worker.pids_limit).toBeGreaterThan(defaultOf('max_processes'));
    expect(worker.ulimits?.nofile).toBe(defaultOf('max_open_files'));
  });

  it('pin every image by digest, and let Dependabot update the digests', () => {
    const images = [
      ...dockerfile.matchAll(/^FROM (\S+)/gm),
      ...read('docker-compose.yml').matchAll(/^ *image: (\S+)/gm),
    ];
    expect(images.map(([, image = '']) => image.replace(/[0-9a-f]{64}$/, '…'))).toEqual([
      'node:22-bookworm@sha256:…',
      'node:22-bookworm-slim@sha256:…',
      'redis:7-alpine@sha256:…',
    ]);
    for (const ecosystem of ['docker', 'docker-compose'])
      expect(read('.github/dependabot.yml')).toContain(`package-ecosystem: ${ecosystem}\n`);
  });

  it('give workers their own token only, and refuse to start without it', () => {
    expect(poller.environment['GITHUB_TOKEN']).toMatch(/^\$\{GITHUB_TOKEN:\?/);
    expect(worker.environment['GITHUB_TOKEN']).toMatch(/^\$\{WORKER_GITHUB_TOKEN:\?/);
    const ofPoller =
      /\$\{(?:GITHUB_TOKEN|MERGEXO_REVIEWER_TOKEN|MERGEXO_SECRET|MERGEXO_DASHBOARD_PASSWORD)\b/;
    expect(Object.values(worker.environment).filter((value) => ofPoller.test(value))).toEqual([]);
    const tokens = Object.keys(dashboard.environment).filter((name) => name.includes('TOKEN'));
    expect(tokens).toEqual([]);
  });

  it('give workers neither the secret nor a shared volume', () => {
    expect(Object.keys(worker.environment)).not.toContain('MERGEXO_SECRET');
    expect(Object.keys(worker.environment)).toContain('MERGEXO_WORKER_KEY');
    expect(
      worker.volumes.filter((volume) => Object.keys(volumes).includes(volume.split(':')[0] ?? '')),
    ).toEqual([]);
    for (const service of [poller, dashboard]) expect(service.volumes).toContain('state:/data');
  });

  it('make the dashboard reachable from outside its container, whatever the config says', () => {
    expect(dashboard.environment['MERGEXO_DASHBOARD_HOST']).toBe('0.0.0.0');
    expect(dashboard.ports).toEqual(['127.0.0.1:7420:7420']);
  });

  it('pass no password as an argument', () => {
    // A running Redis hides its arguments, so the test reads the file instead.
    expect(redis.command.join(' ')).not.toMatch(/--requirepass|redis-server.*\$\$/);
  });

  it('read exactly the variables that .env.example lists', () => {
    const asked = [...read('docker-compose.yml').matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name);
    const documented = [...read('.env.example').matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(documented.sort()).toEqual([...new Set(asked)].sort());
  });

  it('copy and start only files that exist', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/app\/(\S+) \.\/(\S*)$/gm)].map(
      ([, path = '']) => path,
    );
    expect(copied).toEqual(['package.json', 'THIRD_PARTY_LICENSES.md', 'node_modules', 'packages', 'apps']);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node"\]$/m);
    const [, program = ''] = /^CMD \["([^"]+)"/m.exec(dockerfile) ?? [];
    expect(existsSync(join(ROOT, program))).toBe(true);
  });

  it('report the health of the poller and the dashboard in health checks', async () => {
    const [, ...status] = poller.healthcheck?.test ?? [];
    const config = join(directory.path, 'mergexo.toml');
    const env = { HOME: directory.path, MERGEXO_CONFIG: config, MERGEXO_SECRET: 's'.repeat(64) };
    const check = () => run(process.execPath, status.slice(1), env);
    expect(status[0]).toBe('node');
    expect((await check()).code).toBe(1);
    expect((await run(process.execPath, [CLI, 'init', '--repo', 'o/n'], env)).code).toBe(0);
    // Checks three cases: no poller has run, a poller is running, and the poller has crashed.
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
