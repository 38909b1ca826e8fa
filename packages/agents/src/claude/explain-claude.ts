import { parseReset } from '../cli/parse-reset.js';
import { clip } from '../output/printable.js';
import type { AgentFailed } from '../turn/agent.js';
import type { ClaudeTold } from './claude-events.js';

const MAX_MESSAGE = 1_000;

export type Explained = Pick<AgentFailed, 'failure' | 'message' | 'resetsAtMs' | 'retryAfterMs'>;

type Sign = { words: string; status: number | null; error: string | null; reason: string | null };

const LOST = /No conversation found with session ID/;

/** In this order, because some signs occur together. */
const SIGNS: readonly [(sign: Sign) => boolean, AgentFailed['failure']][] = [
  [({ words }) => LOST.test(words), 'session-lost'],
  [
    ({ words, error }) =>
      error === 'usage_limit_reached' ||
      /hit your .{0,40}limit|usage limit reached|credit balance is too low/i.test(words),
    'usage-limit',
  ],
  [
    ({ words, reason }) => reason === 'prompt_too_long' || /prompt is too long|context window/i.test(words),
    'context-exhausted',
  ],
  [
    ({ words, status }) =>
      status === 401 ||
      status === 403 ||
      /not logged in|run \/login|invalid api key|oauth token (?:revoked|has expired)/i.test(words),
    'not-logged-in',
  ],
  [
    ({ words, status }) =>
      status === 429 ||
      (status ?? 0) >= 500 ||
      /overloaded|connection (?:refused|error|closed|reset)|ECONN|ETIMEDOUT|timed? ?out|fetch failed|rate limit/i.test(
        words,
      ),
    'overloaded',
  ],
];

const FIX: Partial<Record<AgentFailed['failure'], string>> = {
  'not-logged-in':
    'run `claude` once as the user of the worker and log in, or name CLAUDE_CODE_OAUTH_TOKEN (from `claude setup-token`) or ANTHROPIC_API_KEY in `agent.pass_env`',
};

/** What a failed turn means, from its result or, without one, from what was complained about. */
export function explainClaude({ result, resetsAtMs }: ClaudeTold, log: string, nowMs: number): Explained {
  const words = [result?.result, ...(result?.errors ?? [])].filter(Boolean).join('; ') || log;
  const sign = {
    words,
    status: result?.api_error_status ?? null,
    error: result?.api_error ?? null,
    reason: result?.terminal_reason ?? null,
  };
  const failure = SIGNS.find(([fits]) => fits(sign))?.[1] ?? 'crashed';
  const said = clip(words.trim() || `the agent ended with ${result?.subtype}`, MAX_MESSAGE);
  const fix = FIX[failure];
  const message = fix === undefined ? said : `${said}; ${fix}`;
  const at = resetsAtMs ?? parseReset(words, nowMs);
  if (at === undefined || (failure !== 'usage-limit' && failure !== 'overloaded'))
    return { failure, message };
  const retryAfterMs = Math.max(0, at - nowMs);
  return failure === 'usage-limit'
    ? { failure, message, resetsAtMs: at, retryAfterMs }
    : { failure, message, retryAfterMs };
}
