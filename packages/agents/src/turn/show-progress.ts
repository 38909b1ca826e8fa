import { buildStep, MAX_STEPS, type StepKind } from '@mergexo/core/agent';
import type { Redact } from '@mergexo/core/text';
import type { AgentEvent, AgentUsage } from './agent.js';

export type ShowProgress = (step: StepKind, text: string) => void;

/** Shown instead of the agent's structured answer, which is posted later. */
export const ANSWERED = 'gives its answer';

type Sight = {
  /** The slot. Paths in it are shown without it. */
  cwd: string;
  onEvent?: ((event: AgentEvent) => void) | undefined;
};

/** Limits the number and the length of progress events. */
export function createProgress({ cwd, onEvent }: Sight, redact: Redact): ShowProgress {
  let left = MAX_STEPS;
  return (kind, text) => {
    if (left <= 0) return;
    left -= 1;
    const step = buildStep(kind, text.slice(0, MAX_RAW).replaceAll(`${cwd}/`, ''), redact);
    if (step !== undefined) onEvent?.({ kind: 'progress', step: step.kind, text: step.text });
  };
}

/** A cheap first cut of texts that may have megabytes. */
const MAX_RAW = 10_000;

/**
 * Creates the reports of usage: `soFar` while the agent runs, `atEnd` for the final figures. Reports nothing for an agent
 * that reports no usage.
 */
export function createUsageReports({ onEvent }: Pick<Sight, 'onEvent'>): {
  soFar(usage: AgentUsage): void;
  atEnd(usage: AgentUsage): void;
} {
  let reported = { tokens: 0, costUsd: 0 };
  const report = (usage: AgentUsage, least: number): void => {
    const { costUsd } = usage;
    const tokens = usage.inputTokens + usage.outputTokens;
    if (tokens < least || (tokens === reported.tokens && costUsd === reported.costUsd)) return;
    reported = { tokens, costUsd };
    onEvent?.({ kind: 'usage', usage });
  };
  return {
    // Reports a growth of a tenth, so that a long turn does not fill the list of steps with figures.
    soFar: (usage) => report(usage, Math.max(1, reported.tokens * 1.1)),
    atEnd: (usage) => report(usage, 0),
  };
}
