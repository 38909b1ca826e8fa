import type { Flow } from './flow.js';
import { PULL_FLOWS } from './flows/pulls.js';
import { START_FLOWS } from './flows/starts.js';
import { STOP_FLOWS } from './flows/stops.js';

export const FLOWS: readonly Flow[] = [...START_FLOWS, ...PULL_FLOWS, ...STOP_FLOWS];

/** Returns all flows, or the one with this name. */
export function chooseFlows(name: string | undefined): readonly Flow[] {
  const chosen = FLOWS.filter((flow) => name === undefined || flow.name === name);
  if (chosen.length > 0) return chosen;
  throw new RangeError(
    `There is no flow "${name}". Use one of: ${FLOWS.map((flow) => flow.name).join(', ')}.`,
  );
}
