/**
 * Crashes, agent failures and infrastructure failures are counted separately: a healthy agent must not reset the crash
 * count, and a Redis outage must not count against the agent.
 */
export type TroubleKind = 'crash' | 'agent' | 'unusable' | 'infrastructure';

export type Retry = { kind: 'again'; delayMs: number } | { kind: 'blocked'; reason: string };

const SECOND = 1_000;

const RULES = {
  // The first crash is retried immediately: its cause is usually a deploy or an OOM kill, unrelated to the turn.
  crash: { cap: 3, firstDelayMs: 0, laterDelayMs: 30 * SECOND, maxDelayMs: 30 * SECOND },
  agent: { cap: 3, firstDelayMs: 30 * SECOND, laterDelayMs: 60 * SECOND, maxDelayMs: 300 * SECOND },
  unusable: { cap: 1, firstDelayMs: 0, laterDelayMs: 0, maxDelayMs: 0 },
  infrastructure: { cap: 20, firstDelayMs: 0, laterDelayMs: 5 * SECOND, maxDelayMs: 300 * SECOND },
} as const;

/** Decides whether to retry or block a turn. `count` includes the current failure. */
export function decideRetry(kind: TroubleKind, count: number): Retry {
  const rule = RULES[kind];
  if (count >= rule.cap) {
    return { kind: 'blocked', reason: rule.cap === 1 ? describe(kind) : `${describe(kind)} ${count} times` };
  }
  if (count <= 1) return { kind: 'again', delayMs: rule.firstDelayMs };
  return { kind: 'again', delayMs: Math.min(rule.laterDelayMs * 2 ** (count - 2), rule.maxDelayMs) };
}

function describe(kind: TroubleKind): string {
  switch (kind) {
    case 'crash':
      return 'the worker crashed';
    case 'agent':
      return 'the agent failed';
    case 'unusable':
      return "the agent's answer could not be used";
    case 'infrastructure':
      return 'an infrastructure failure stopped the turn';
  }
}
