import { pathToFileURL } from 'node:url';
import type { Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import { chooseRedisKind, describeTarget, type RedisTarget, startEmbeddedRedis } from '@mergexo/queue';
import type { Say } from './say.js';

export type OpenRedis = {
  /** Passes the Redis URL and password to children. Other users could read them if they were arguments. */
  env: { MERGEXO_REDIS_URL?: string; MERGEXO_REDIS_PASSWORD?: string };
  stop(): Promise<void>;
};

/** Starts an embedded Redis unless one is configured. */
export async function openRedis({ redis, paths, searchPath }: Settings, say: Say): Promise<OpenRedis> {
  if (redis !== undefined) return { env: {}, stop: async () => {} };
  const kind = chooseRedisKind(searchPath);
  const embedded = await startEmbeddedRedis({ dir: paths.redis, kind, log: toLog(say) });
  const { target } = embedded;
  say(
    'redis',
    { event: 'started', pid: embedded.keeperPid() },
    `started (${kind}, ${describeTarget(target)})`,
  );
  return {
    env: { MERGEXO_REDIS_URL: toUrl(target), MERGEXO_REDIS_PASSWORD: target.password ?? '' },
    async stop() {
      await embedded.stop();
      say('redis', { event: 'stopped' }, 'stopped');
    },
  };
}

function toUrl({ path, host, port }: RedisTarget): string {
  return path === undefined ? `redis://${host}:${port}` : `unix://${pathToFileURL(path).pathname}`;
}

/** Prints only warnings and errors of the embedded Redis, because it restarts itself. */
function toLog(say: Say): Log {
  const loud = (event: string) => (_facts: object, message: string) => say('redis', { event }, message);
  return { debug: () => {}, info: () => {}, warn: loud('warn'), error: loud('error') };
}
