export type Result = 'created' | 'kept' | 'missing';

/** A file, directory or label that `init` created, found, or would create in a dry run. */
export type InstalledFile = { name: string; path: string; result: Result };
