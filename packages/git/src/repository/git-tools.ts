import type { Log } from '@mergexo/core/basics';
import type { RunGit } from '../run/run-git.js';
import type { ListTrackedFiles } from './tracked-files.js';

export type Limits = {
  /** One git command on local files. */
  localMs: number;
  /** One git command that talks to the remote. */
  networkMs: number;
  /** Waiting for other processes that fetch the same mirror. */
  waitMs: number;
  outputBytes: number;
  /** Changed files of a slot, and objects that an agent made itself. */
  slotBytes: number;
  bundleBytes: number;
};

/** Shared by all parts of the package. */
export type GitTools = { run: RunGit; listTrackedFiles: ListTrackedFiles; log: Log; limits: Limits };
