import { type Explained, explain } from '../cli/explain.js';
import { parseReset } from '../cli/parse-reset.js';
import type { AgentFailed } from '../turn/agent.js';
import { CODEX } from './codex-cli.js';

/** Codex's errors have no codes. The order matters, because some phrases occur in several messages. */
const PATTERNS: readonly [RegExp, AgentFailed['failure']][] = [
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

/** Derives the failure from Codex's own message. */
export function explainCodex(text: string, nowMs: number): Explained {
  const failure = PATTERNS.find(([pattern]) => pattern.test(text))?.[1] ?? 'crashed';
  const { loginAdvice } = CODEX;
  return explain({ failure, text, loginAdvice, resetsAtMs: parseReset(text, nowMs), nowMs });
}
