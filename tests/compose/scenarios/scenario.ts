import type { Scene } from '../scene.js';

export type Note = (text: string) => void;

export type Scenario = {
  name: string;
  /** True if `--smoke` runs it too. */
  isSmoke?: true;
  /** Leaves all services running. Throws if a promise is broken. `note` adds a measurement to the report. */
  run(scene: Scene, note: Note): Promise<void>;
};

/** How long the agent works in a turn that is disturbed. */
export const TURN_MS = 10_000;
