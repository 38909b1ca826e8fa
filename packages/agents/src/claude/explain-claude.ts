import { type Explained, explain } from '../cli/explain.js';
import { parseReset } from '../cli/parse-reset.js';
import type { AgentFailed } from '../turn/agent.js';
import { CLAUDE } from './claude-cli.js';
import type { ClaudeOutput } from './claude-events.js';

type FailureSigns = { text: string; status: number | null; error: string | null; reason: string | null };

/** The order matters, because one result can match several rows. */
const RULES: readonly [(signs: FailureSigns) => boolean, AgentFailed['failure']][] = [
  [({ text }) => /No conversation found with session ID/.test(text), 'session-lost'],
  [
    ({ text, error }) =>
      error === 'usage_limit_reached' ||
      /hit your .{0,40}limit|usage limit reached|credit balance is too low/i.test(text),
    'usage-limit',
  ],
  [
    ({ text, reason }) => reason === 'prompt_too_long' || /prompt is too long|context window/i.test(text),
    'context-exhausted',
  ],
  [
    ({ text, status }) =>
      status === 401 ||
      status === 403 ||
      /not logged in|run \/login|invalid api key|oauth token (?:revoked|has expired)/i.test(text),
    'not-logged-in',
  ],
  [
    ({ text, status }) =>
      status === 429 ||
      (status ?? 0) >= 500 ||
      /overloaded|connection (?:refused|error|closed|reset)|ECONN|ETIMEDOUT|timed? ?out|fetch failed|rate limit/i.test(
        text,
      ),
    'overloaded',
  ],
];

const HAS_RESET: readonly AgentFailed['failure'][] = ['usage-limit', 'overloaded'];

/** Derives the failure from the result, or from standard error if there is no result. */
export function explainClaude(output: ClaudeOutput, log: string, nowMs: number): Explained {
  const { result } = output;
  const text = [result?.result, ...(result?.errors ?? [])].filter(Boolean).join('; ') || log;
  const signs = {
    text,
    status: result?.api_error_status ?? null,
    error: result?.api_error ?? null,
    reason: result?.terminal_reason ?? null,
  };
  const failure = RULES.find(([matches]) => matches(signs))?.[1] ?? 'crashed';
  const resetsAtMs = HAS_RESET.includes(failure) ? (output.resetsAtMs ?? parseReset(text, nowMs)) : undefined;
  return explain({
    failure,
    text: text.trim() || `the agent ended with ${result?.subtype}`,
    loginAdvice: CLAUDE.loginAdvice,
    resetsAtMs,
    nowMs,
  });
}
