import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findDataDirectory } from '@mergexo/config';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory, onlyWith } from '@mergexo/testkit';
import { z } from 'zod';
import { installedRedis } from '../fleet/installed-redis.js';
import { CLI, readCompose, run } from './read-compose.js';

describe('the services of docker-compose.yml', () => {
  const { redis, poller, worker, dashboard } = readCompose().services;
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  it('report the health of the poller and the dashboard in health checks', async () => {
    const [, ...healthCommand] = poller.healthcheck.test;
    expect([poller, worker].map(({ healthcheck }) => healthcheck.test)).toEqual([
      ['CMD', 'mergexo', 'health'],
      ['CMD', 'mergexo', 'health'],
    ]);
    const config = join(directory.path, 'mergexo.toml');
    const env = {
      ...{ HOME: directory.path, MERGEXO_CONFIG: config, MERGEXO_SECRET: 's'.repeat(64) },
      MERGEXO_ROLE: poller.environment['MERGEXO_ROLE'] ?? '',
    };
    const check = () => run(process.execPath, [CLI, ...healthCommand.slice(1)], env);
    expect((await check()).code).toBe(1);
    expect((await run(process.execPath, [CLI, 'init', '--repo', 'o/n'], env)).code).toBe(0);
    // Checks three cases: no poller has run, a poller is running, and the poller has crashed.
    const beat = (at: number): void => {
      const state = openState(join(findDataDirectory({ env: {}, homeDir: directory.path }), 'state.db'));
      state.saveHealth({ subject: 'poller', code: 'ok', detail: null }, at);
      state.close();
    };
    expect((await check()).code).toBe(1);
    beat(Date.now());
    expect(await check()).toMatchObject({ code: 0 });
    beat(Date.now() - 60_000);
    expect((await check()).code).toBe(1);

    const [, node, ...args] = dashboard.healthcheck.test;
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

  it('do not start Redis without a password', async () => {
    const [shell = '', ...args] = redis.command.map((text) => text.replaceAll('$$', '$'));
    expect(await run(shell, args, { REDIS_PASSWORD: '' })).toEqual({
      code: 1,
      output: 'redis: MERGEXO_REDIS_PASSWORD is empty. Set it in .env.\n',
    });
  });

  const missing = installedRedis === 'redis-server' ? undefined : 'redis-server is not installed';
  onlyWith(missing).it('start a Redis that requires its password', async () => {
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
      const [, test = ''] = redis.healthcheck.test;
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
