import { CRASHES } from './crashes.js';
import { CUTS } from './cuts.js';
import type { Scenario } from './scenario.js';
import { SET_UP } from './set-up.js';
import { STOPS } from './stops.js';

const FIRST: Scenario = {
  name: 'three workers turn an issue into a pull request and reply to a comment',
  isSmoke: true,
  async run({ project, ...scene }) {
    await project.start();
    const { workers } = await project.readStatus();
    if (workers?.length !== 3) throw new Error(`${workers?.length ?? 'no'} workers are running`);
    await scene.openPull();
    await scene.untilAnswered(await scene.comment());
  },
};

/** In this order, because all scenarios share one pull request. */
export const SCENARIOS: readonly Scenario[] = [FIRST, SET_UP, ...CRASHES, ...CUTS, ...STOPS];
