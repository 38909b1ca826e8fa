import type { Played } from '../play/run-schedule.js';
import type { World } from '../world/world.js';
import type { Story } from './story.js';

export type Case = { story: Story; world: World; played: Played };
/** Returns what broke the promise, in words. */
export type Judge = (about: Case) => string[];
