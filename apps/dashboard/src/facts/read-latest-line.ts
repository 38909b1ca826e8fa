import type { Snapshot } from '@mergexo/state';
import { type AgentStep, listSteps } from './list-steps.js';

/** Reads the newest line about a running turn: the agent's latest step in the current attempt. */
export function readLatestLine({ state }: Snapshot, turnKey: string): AgentStep | undefined {
  return listSteps(state.listEventsOfTurn(turnKey))[0];
}
