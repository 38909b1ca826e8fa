import { computeTurnKey, openTurn, type Turn } from '@mergexo/core/turns';
import type { Records } from '../tools.js';

/** Builds a turn. Its key contains the number of earlier unfinished turns, so that each attempt has its own key. */
export function buildTurn(
  { state, now }: Pick<Records, 'state' | 'now'>,
  about: Pick<Turn, 'kind' | 'repoId' | 'prNumber'> & { runId: number; issueNumber: number },
  discriminator: Parameters<typeof computeTurnKey>[0]['discriminator'],
): Turn {
  const { kind, repoId, runId, issueNumber, prNumber } = about;
  const unfinishedBefore = state
    .listTurnsOfRun(runId)
    .filter((turn) => turn.state !== 'done' && (prNumber === null || turn.prNumber === prNumber)).length;
  const number = prNumber ?? issueNumber;
  const turnKey = computeTurnKey({ kind, repoId, number, discriminator, unfinishedBefore });
  return openTurn({ turnKey, repoId, runId, kind, issueNumber, prNumber, openedAt: now() });
}
