import type { Log } from '@mergexo/core/basics';
import type { RunGit } from '../run/run-git.js';
import type { ListTrackedFiles } from './tracked-files.js';

export type Limits = {
  /** Time limit for one git command on local files. */
  localMs: number;
  /** Time limit for one git command that contacts the remote. */
  networkMs: number;
  /** Time limit for waiting for other processes that fetch the same mirror. */
  waitMs: number;
  outputBytes: number;
  /** Size limit for the changed files of a slot, and for the objects that an agent made itself. */
  slotBytes: number;
  /** Limit for the files and folders of a slot. Hard links and empty files take no space, but they take time. */
  slotFiles: number;
  bundleBytes: number;
};

/** The tools that all parts of the package share. */
export type GitTools = { run: RunGit; listTrackedFiles: ListTrackedFiles; log: Log; limits: Limits };
