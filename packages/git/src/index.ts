export type { CollectRequest } from './commit/collect.js';
export type { Collected } from './commit/deliver.js';
export { createGit, type Git } from './create-git.js';
export type { Conflict } from './merge/parse-merge.js';
export type { Archive } from './replay/open-archive.js';
export type { ChangedFile } from './repository/read-commits.js';
export type { Slot } from './slot/slot.js';
