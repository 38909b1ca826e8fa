import type { Log } from '@mergexo/core/basics';
import { silentLog } from '@mergexo/core/basics';

export type WorldLog = Log;

/** Prints what MergeXO logs when `SEARCH_LOG` is set, to follow one schedule. */
export function createWorldLog(now: () => number): WorldLog {
  if (process.env['SEARCH_LOG'] === undefined) return silentLog;
  const print = (level: string) => (facts: object, message: string) =>
    process.stderr.write(
      `${(now() / 1_000).toFixed(1)} ${level} ${message} ${JSON.stringify(facts, replaceError)}\n`,
    );
  return {
    ...silentLog,
    debug: print('debug'),
    info: print('info'),
    warn: print('warn'),
    error: print('error'),
  };
}

function replaceError(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
