import { pathToFileURL } from 'node:url';
import type { Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import { chooseRedisKind, describeTarget, type RedisTarget, startEmbeddedRedis } from '@mergexo/queue';
import type { Say } from './say.js';

export type OpenRedis = {
  /** How the children find it: the address and the password travel in their environment, not in arguments. */
  env: { MERGEXO_REDIS_URL?: string; MERGEXO_REDIS_PASSWORD?: string };
  stop(): Promise<void>;
};

/** A Redis of our own unless one is configured; that one is looked after by somebody else. */
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

/** It restarts by itself; what it warns of is worth a line. */
function toLog(say: Say): Log {
  const loud = (event: string) => (_facts: object, message: string) => say('redis', { event }, message);
  return { debug: () => {}, info: () => {}, warn: loud('warn'), error: loud('error') };
}
