import { createHash } from 'node:crypto';
import type { TurnKind } from './turn-kind.js';

/** Raised when the ingredients change their meaning, so that old and new keys never collide. */
const VERSION = 1;

export type TurnIdentity = {
  kind: TurnKind;
  repoId: number;
  /** The pull request's number where one exists, else the issue's. */
  number: number;
  discriminator: readonly (string | number)[];
  /** Earlier turns of this run or pull request that did not end `done`: a turn tried anew is another turn. */
  unfinishedBefore: number;
};

/** Computed once, when the turn opens; nothing that a retry can change goes into it. */
export function computeTurnKey(identity: TurnIdentity): string {
  const { kind, repoId, number, discriminator, unfinishedBefore } = identity;
  const canonical = JSON.stringify([VERSION, kind, repoId, number, [...discriminator, unfinishedBefore]]);
  return createHash('sha256').update(canonical).digest('hex');
}
