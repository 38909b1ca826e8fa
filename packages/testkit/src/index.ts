export { aPlan, aPlanWithoutCommit } from './a-plan.js';
export { aTurn } from './a-turn.js';
export { eventually, GiveUpWhen, patiently } from './eventually.js';
export { measureGrowth } from './growth.js';
export { findOnPath, onlyWith } from './optional-programs.js';
export { type Program, startProgram } from './program.js';
export { ROBOT_AUTHOR } from './robot-author.js';
export { createTemporaryDirectory } from './temporary-directory.js';
