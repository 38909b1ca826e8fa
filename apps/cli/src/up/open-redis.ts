import { pathToFileURL } from 'node:url';
import type { Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import { chooseRedisKind, describeTarget, startEmbeddedRedis } from '@mergexo/queue';
import type { Print } from './create-printer.js';

export type OpenRedis = {
  /** Passes the Redis URL and password to children. Other users could read them if they were arguments. */
  env: { MERGEXO_REDIS_URL?: string; MERGEXO_REDIS_PASSWORD?: string };
  stop(): Promise<void>;
};

/** Starts an embedded Redis unless one is configured. */
export async function openRedis({ redis, paths, searchPath }: Settings, print: Print): Promise<OpenRedis> {
  if (redis !== undefined) return { env: {}, stop: async () => {} };
  const kind = chooseRedisKind(searchPath);
  const embedded = await startEmbeddedRedis({ dir: paths.redis, kind, log: toLog(print) });
  const { target } = embedded;
  print(
    'redis',
    { event: 'started', pid: embedded.keeperPid() },
    `started (${kind}, ${describeTarget(target)})`,
  );
  return {
    env: {
      MERGEXO_REDIS_URL: `unix://${pathToFileURL(target.path).pathname}`,
      MERGEXO_REDIS_PASSWORD: target.password,
    },
    async stop() {
      await embedded.stop();
      print('redis', { event: 'stopped' }, 'stopped');
    },
  };
}

/** Prints only warnings and errors of the embedded Redis, because it restarts itself. */
function toLog(print: Print): Log {
  const printAs = (event: string) => (_facts: object, message: string) => print('redis', { event }, message);
  return { debug: () => {}, info: () => {}, warn: printAs('warn'), error: printAs('error') };
}
