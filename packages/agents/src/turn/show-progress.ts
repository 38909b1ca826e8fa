import { buildStep, MAX_STEPS, type StepKind } from '@mergexo/core/agent';
import type { Redact } from '@mergexo/core/text';
import type { AgentEvent, AgentUsage } from './agent.js';

export type ShowProgress = (step: StepKind, text: string) => void;

/** Stands for the agent's structured answer, which is posted later. */
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

/** Reports the usage of a turn, unless the agent does not report it. */
export function showUsage(show: ShowProgress, { inputTokens, outputTokens, costUsd }: AgentUsage): void {
  if (inputTokens + outputTokens + costUsd === 0) return;
  const cost = costUsd === 0 ? [] : [`${costUsd.toFixed(2)} USD`];
  const tokens = [
    `${inputTokens.toLocaleString('en')} tokens in`,
    `${outputTokens.toLocaleString('en')} out`,
  ];
  show('usage', [...tokens, ...cost].join(', '));
}
