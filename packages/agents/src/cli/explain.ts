import { clip } from '../output/printable.js';
import type { AgentFailed } from '../turn/agent.js';

const MAX_MESSAGE = 1_000;

export type Explained = Pick<AgentFailed, 'failure' | 'message' | 'retryAfterMs'>;

type Failure = {
  failure: AgentFailed['failure'];
  /** The program's own error message. */
  words: string;
  loginAdvice: string;
  /** The time at which the agent can be asked again, if the program named one. */
  resetsAtMs: number | undefined;
  nowMs: number;
};

export function explain({ failure, words, loginAdvice, resetsAtMs, nowMs }: Failure): Explained {
  const said = clip(words.trim(), MAX_MESSAGE);
  const message = failure === 'not-logged-in' ? `${said}; ${loginAdvice}` : said;
  return {
    failure,
    message,
    ...(resetsAtMs !== undefined && { retryAfterMs: Math.max(0, resetsAtMs - nowMs) }),
  };
}
