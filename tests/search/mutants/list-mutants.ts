import { MUTANTS as FEEDBACK, type Mutant } from '../../chaos/feedback-mutants.js';
import { POSTS } from './post-mutants.js';
import { STARTS } from './start-mutants.js';
import { STOPS } from './stop-mutants.js';
import { TURNS } from './turn-mutants.js';

/** All deliberate bugs, including those of the feedback loop. */
export const MUTANTS: readonly Mutant[] = [...STARTS, ...TURNS, ...STOPS, ...POSTS, ...FEEDBACK];
