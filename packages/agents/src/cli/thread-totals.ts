import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../output/json.js';
import { type AgentUsage, NO_USAGE } from '../turn/agent.js';
import { ensureDirectory, readPrivateFile, writePrivateFile } from './private-files.js';

const Count = z.number().min(0).max(1e12);
const Totals = z.array(
  z.strictObject({
    thread: z.string(),
    inputTokens: Count,
    outputTokens: Count,
    costUsd: Count,
    cachedTokens: Count.optional(),
  }),
);

type Totalled = Omit<AgentUsage, 'model'>;

/** Maximum number of remembered threads. No issue has this many threads. */
const MAX_THREADS = 50;

/**
 * Computes the usage of one turn for agents that report totals since the start of the thread. Subtracts the
 * thread's previous total, or counts the whole total if no previous one is known.
 */
export function countTurn(directory: string, thread: string, total: Totalled): Totalled {
  const path = join(directory, 'usage.json');
  const known = read(path);
  const others = known.filter((entry) => entry.thread !== thread);
  ensureDirectory(directory);
  writePrivateFile(path, JSON.stringify([...others, { thread, ...total }].slice(-MAX_THREADS)));
  return subtract(total, known.find((entry) => entry.thread === thread) ?? NO_USAGE);
}

/** Computes the usage of a turn that is still running. Remembers nothing. */
export function countTurnSoFar(directory: string, thread: string, total: Totalled): Totalled {
  const known = read(join(directory, 'usage.json'));
  return subtract(total, known.find((entry) => entry.thread === thread) ?? NO_USAGE);
}

function subtract(total: Totalled, last: Totalled): Totalled {
  const since = (name: keyof Totalled): number => {
    const [now = 0, before = 0] = [total[name], last[name]];
    return now < before ? now : now - before;
  };
  return {
    inputTokens: since('inputTokens'),
    outputTokens: since('outputTokens'),
    costUsd: since('costUsd'),
    ...(total.cachedTokens !== undefined && { cachedTokens: since('cachedTokens') }),
  };
}

function read(path: string): z.infer<typeof Totals> {
  return Totals.safeParse(parseJson(readPrivateFile(path) ?? '[]')).data ?? [];
}
