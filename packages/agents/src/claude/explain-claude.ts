import { type Explained, explain } from '../cli/explain.js';
import { parseReset } from '../cli/parse-reset.js';
import type { AgentFailed } from '../turn/agent.js';
import { CLAUDE } from './claude-cli.js';
import type { ClaudeTold } from './claude-events.js';

type Sign = { words: string; status: number | null; error: string | null; reason: string | null };

/** The order matters, because some signs occur together. */
const SIGNS: readonly [(sign: Sign) => boolean, AgentFailed['failure']][] = [
  [({ words }) => /No conversation found with session ID/.test(words), 'session-lost'],
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

const HAS_RESET: readonly AgentFailed['failure'][] = ['usage-limit', 'overloaded'];

/** Derives the failure from the result, or from standard error if there is no result. */
export function explainClaude(told: ClaudeTold, log: string, nowMs: number): Explained {
  const { result } = told;
  const words = [result?.result, ...(result?.errors ?? [])].filter(Boolean).join('; ') || log;
  const sign = {
    words,
    status: result?.api_error_status ?? null,
    error: result?.api_error ?? null,
    reason: result?.terminal_reason ?? null,
  };
  const failure = SIGNS.find(([fits]) => fits(sign))?.[1] ?? 'crashed';
  const resetsAtMs = HAS_RESET.includes(failure) ? (told.resetsAtMs ?? parseReset(words, nowMs)) : undefined;
  return explain({
    failure,
    words: words.trim() || `the agent ended with ${result?.subtype}`,
    loginAdvice: CLAUDE.loginAdvice,
    resetsAtMs,
    nowMs,
  });
}
