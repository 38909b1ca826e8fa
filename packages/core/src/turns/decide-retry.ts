/** Three counters that never mix: a crashing turn must not be saved by a healthy agent, nor blamed for a Redis outage. */
export type TroubleKind = 'crash' | 'agent' | 'unusable' | 'infrastructure';

export type Retry = { kind: 'again'; delayMs: number } | { kind: 'blocked'; reason: string };

const SECOND = 1_000;

const RULES = {
  // The first crash is taken over at once: most often a deploy or an OOM kill that has nothing to do with the turn.
  crash: { cap: 3, firstDelayMs: 0, laterDelayMs: 30 * SECOND, maxDelayMs: 30 * SECOND },
  agent: { cap: 3, firstDelayMs: 30 * SECOND, laterDelayMs: 60 * SECOND, maxDelayMs: 300 * SECOND },
  unusable: { cap: 1, firstDelayMs: 0, laterDelayMs: 0, maxDelayMs: 0 },
  infrastructure: { cap: 20, firstDelayMs: 0, laterDelayMs: 5 * SECOND, maxDelayMs: 300 * SECOND },
} as const;

/** `count` includes the trouble that just happened. */
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
      return 'the agent gave an answer that cannot be used';
    case 'infrastructure':
      return 'infrastructure trouble stopped the turn';
  }
}
