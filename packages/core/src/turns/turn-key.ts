import { createHash } from 'node:crypto';
import type { TurnKind } from './turn-kind.js';

/** Increase this number when the fields change meaning, so that old and new keys never collide. */
const VERSION = 1;

export type TurnIdentity = {
  kind: TurnKind;
  repoId: number;
  /** The number of the pull request if one exists, otherwise of the issue. */
  number: number;
  discriminator: readonly (string | number)[];
  /**
   * Number of earlier turns of this run or pull request that did not end as `done`. If the work is retried as a new
   * turn, this number gives the turn a new key.
   */
  unfinishedBefore: number;
};

/** Computes the key of a turn. All attempts of a turn share the key; a new turn for the same work gets another one. */
export function computeTurnKey(identity: TurnIdentity): string {
  const { kind, repoId, number, discriminator, unfinishedBefore } = identity;
  const canonical = JSON.stringify([VERSION, kind, repoId, number, [...discriminator, unfinishedBefore]]);
  return createHash('sha256').update(canonical).digest('hex');
}
