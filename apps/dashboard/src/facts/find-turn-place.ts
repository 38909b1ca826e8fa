import type { Snapshot } from '@mergexo/state';
import { nameOf } from './name-of.js';

/** Finds the issue of a turn. Returns undefined if the turn does not exist. */
export function findTurnPlace(
  { state }: Snapshot,
  turnKey: string,
): { repo: string; issue: number } | undefined {
  const turn = state.readTurn(turnKey);
  const repository = turn && state.readRepository(turn.repoId);
  const run = turn?.runId == null ? undefined : state.readRun(turn.runId);
  const issue = turn?.issueNumber ?? run?.issueNumber;
  if (repository === undefined || issue === undefined) return undefined;
  return { repo: nameOf(repository), issue };
}
