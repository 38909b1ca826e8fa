import { STEP_NAMES } from '@mergexo/core/agent';
import type { Snapshot } from '@mergexo/state';

export type LatestLine = { at: number; text: string };

/** Reads the newest line about a running turn: the latest step of its agent, `setup` or tests. */
export function readLatestLine({ state }: Snapshot, turnKey: string): LatestLine | undefined {
  const step = state.readLatestAgentStep(turnKey);
  return step && { at: step.createdAt, text: `${STEP_NAMES[step.kind] ?? step.kind}: ${step.text}` };
}
