import { closeSync, constants, fstatSync, opendirSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_STEPS } from '@mergexo/core/agent';
import { attempt } from '@mergexo/process';
import { z } from 'zod';
import { parseJson } from '../output/json.js';
import type { AgentUsage } from '../turn/agent.js';

const Tokens = z.int().min(0).max(1e12);
const TokenCount = z.object({
  type: z.literal('event_msg'),
  payload: z.object({
    type: z.literal('token_count'),
    info: z.object({
      total_token_usage: z.object({
        input_tokens: Tokens,
        cached_input_tokens: Tokens.optional(),
        output_tokens: Tokens,
      }),
    }),
  }),
});

/** The last count is near the end of the file. */
const TAIL_BYTES = 64 * 1024;
/** Directory entries that a search reads. The agent can create any number. */
const MAX_ENTRIES = 5_000;
const MAX_SEARCHES = 20;

/**
 * Reads the tokens of a thread from the file in which Codex records the thread, because `codex exec --json` reports
 * them only at its end. The agent may be able to change the file, so the figures are only for people who watch.
 */
export function createThreadFile(cliHome: string) {
  let path: string | undefined;
  let searches = 0;
  let reads = 0;
  let size = 0;
  let total: AgentUsage | undefined;
  return {
    /** Returns the usage since the start of the thread; undefined if Codex has recorded none. Cheap to call often. */
    readTotal(threadId: string): AgentUsage | undefined {
      if (path === undefined && searches < MAX_SEARCHES) {
        searches += 1;
        path = attempt(() => findFile(join(cliHome, 'sessions'), `-${threadId}.jsonl`));
      }
      const found = path;
      const tail =
        found === undefined || reads >= MAX_STEPS ? undefined : attempt(() => readTail(found, size));
      if (tail === undefined) return total;
      reads += 1;
      size = tail.size;
      total = findCount(tail.text) ?? total;
      return total;
    },
  };
}

/** Finds a file in `<year>/<month>/<day>`, latest first. */
function findFile(sessions: string, suffix: string): string | undefined {
  let left = MAX_ENTRIES;
  const list = (directory: string): string[] => {
    const names: string[] = [];
    // The directory may not exist yet, or be a file.
    const open = attempt(() => opendirSync(directory));
    for (let entry = open?.readSync() ?? null; entry !== null && left > 0; entry = open?.readSync() ?? null) {
      left -= 1;
      names.push(entry.name);
    }
    open?.closeSync();
    return names.sort().reverse();
  };
  const search = (directory: string, depth: number): string | undefined => {
    const names = list(directory);
    if (depth === 0) {
      const name = names.find((one) => one.endsWith(suffix));
      return name && join(directory, name);
    }
    for (const name of names) {
      const found = search(join(directory, name), depth - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(sessions, 3);
}

/** Reads the end of a regular file. Returns undefined if the file still has the known size. Throws if it cannot be read. */
function readTail(path: string, knownSize: number): { text: string; size: number } | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(file);
    const { size } = found;
    if (!found.isFile() || size === knownSize) return undefined;
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(file, buffer, 0, buffer.length, size - buffer.length);
    return { text: buffer.toString('utf8', 0, length), size };
  } finally {
    closeSync(file);
  }
}

function findCount(tail: string): AgentUsage | undefined {
  for (const line of tail.split('\n').reverse()) {
    if (!line.includes('"token_count"')) continue;
    const { data } = TokenCount.safeParse(parseJson(line));
    if (data !== undefined) return toUsage(data.payload.info.total_token_usage);
  }
  return undefined;
}

type Count = { input_tokens: number; cached_input_tokens?: number | undefined; output_tokens: number };

/** Codex reports no cost. */
export function toUsage({ input_tokens, cached_input_tokens: cached, output_tokens }: Count): AgentUsage {
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    costUsd: 0,
    ...(cached !== undefined && { cachedTokens: cached }),
  };
}
