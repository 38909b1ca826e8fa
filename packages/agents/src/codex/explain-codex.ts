import { parseReset } from '../cli/parse-reset.js';
import { clip } from '../output/printable.js';
import type { AgentFailed } from '../turn/agent.js';

const MAX_MESSAGE = 1_000;

export type Explained = Pick<AgentFailed, 'failure' | 'message' | 'resetsAtMs' | 'retryAfterMs'>;

/** Codex has no codes for what went wrong, only words; in this order, because some words occur in several. */
const WORDS: readonly [RegExp, AgentFailed['failure']][] = [
  [/no rollout found for thread|thread\/resume failed|no saved session found/i, 'session-lost'],
  [
    /hit your usage limit|usage limit (?:has been )?reached|quota exceeded|exceeded your current quota/i,
    'usage-limit',
  ],
  [/context window|context_length_exceeded|input_too_large/i, 'context-exhausted'],
  [
    /\b40[13] (?:Unauthorized|Forbidden)|not logged in|log (?:in|out and sign in) again|sign in again|token (?:was revoked|has expired|could not be refreshed)|Missing environment variable/i,
    'not-logged-in',
  ],
  [
    /high demand|at capacity|rate limit|overloaded|last status: (?:429|5\d\d)|unexpected status (?:429|5\d\d)|stream disconnected|idle timeout|connection failed|error sending request|timed? ?out/i,
    'overloaded',
  ],
];

const FIX: Partial<Record<AgentFailed['failure'], string>> = {
  'not-logged-in':
    'run `codex login` as the user of the worker, or name the variable with the key in `agent.pass_env`',
};

/** What a failed turn means, from Codex' own words. */
export function explainCodex(words: string, nowMs: number): Explained {
  const failure = WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'crashed';
  const fix = FIX[failure];
  const said = clip(words.trim(), MAX_MESSAGE);
  const message = fix === undefined ? said : `${said}; ${fix}`;
  const at = parseReset(words, nowMs);
  if (at === undefined) return { failure, message };
  const retryAfterMs = Math.max(0, at - nowMs);
  return failure === 'usage-limit'
    ? { failure, message, resetsAtMs: at, retryAfterMs }
    : { failure, message, retryAfterMs };
}
