import type { Played } from '../play/run-schedule.js';
import type { World } from '../world/world.js';
import type { Story } from './story.js';

export type Case = { story: Story; world: World; played: Played };
/** Returns one sentence for each violation of a promise. */
export type Judge = (about: Case) => string[];
