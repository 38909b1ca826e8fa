import type { WalkOptions } from '../fleet/render-walk-config.js';
import type { Scene } from './scene.js';

/** Everything that MergeXO publishes on GitHub, except reactions and status comments. */
export type Results = {
  pulls: number;
  /** Pushes to `agent/` branches, without those by people. */
  pushes: number;
  /** Comments on issues. */
  onIssues: number;
  /** Comments in the conversations of pull requests. */
  onPulls: number;
  /** Replies in line threads. */
  replies: number;
  reviews: number;
};

/** One way through MergeXO, during which programs are killed. Issue 1 becomes pull request 2. */
export type Flow = {
  name: string;
  options?: WalkOptions;
  /** Failpoints that the flow never passes. */
  skips: readonly string[];
  /** Creates what the flow needs. No program is killed yet. */
  prepare?(scene: Scene): Promise<unknown>;
  /** Does what people do, and waits until MergeXO has finished. */
  play(scene: Scene): Promise<unknown>;
  /** The results at the end, each exactly once. */
  results: Results;
};
