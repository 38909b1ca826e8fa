import { clip } from '../output/printable.js';
import type { AgentFailed } from '../turn/agent.js';

const MAX_MESSAGE = 1_000;

export type Explained = Pick<AgentFailed, 'failure' | 'message' | 'retryAfterMs'>;

type Failure = {
  failure: AgentFailed['failure'];
  /** The program's own error message. */
  text: string;
  loginAdvice: string;
  /** The time at which MergeXO can ask the agent again, if the program named one. */
  resetsAtMs: number | undefined;
  nowMs: number;
};

export function explain({ failure, text, loginAdvice, resetsAtMs, nowMs }: Failure): Explained {
  const cut = clip(text.trim(), MAX_MESSAGE);
  const message = failure === 'not-logged-in' ? `${cut}; ${loginAdvice}` : cut;
  return {
    failure,
    message,
    ...(resetsAtMs !== undefined && { retryAfterMs: Math.max(0, resetsAtMs - nowMs) }),
  };
}
