import type { Schedule } from './play/op.js';

/** Schedules that once broke a promise, shortened. Each must break none. */
export const CORPUS: readonly (Schedule & { name: string })[] = [];
