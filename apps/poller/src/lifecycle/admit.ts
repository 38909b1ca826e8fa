import { type Admission, decideAdmission } from '@mergexo/core/feedback';
import type { Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { type Block, blockPull, blockPullOf } from './block-pull.js';
import { closePull } from './close-pull.js';
import { endTurn } from './end-turn.js';

/** How GitHub's current head relates to the last accepted head. `unclear`: GitHub's responses disagree. */
export type HeadCheck = { kind: 'grown' } | { kind: 'unclear' } | { kind: 'blocked'; block: Block };

/** The state of a pull request on GitHub right before MergeXO works on it. */
export type PullSighting = { status: 'open' | 'closed' | 'merged'; isTakenOver: boolean; head: HeadCheck };

export type Admitted = { kind: Extract<Admission, 'go' | 'later'> } | { kind: 'stopped'; reason: string };

export const HEAD_UNCLEAR = 'GitHub does not yet show whether the head contains the last accepted commit';
export const TAKEN_OVER = 'a person took it over';

/**
 * Decides whether work on a pull request may continue. If not, records that the pull request was closed, cancels the
 * turn after a takeover, or blocks the pull request after a rewrite. Without a turn, a takeover changes nothing.
 * Requires a transaction.
 */
export function admit(
  tools: Records,
  { pull, turn }: { pull: Pull; turn?: Turn },
  { status, isTakenOver, head }: PullSighting,
): Admitted {
  const lineage = head.kind === 'blocked' ? 'rewritten' : head.kind;
  const admission = decideAdmission({ status, isTakenOver, lineage });
  switch (admission) {
    case 'go':
    case 'later':
      return { kind: admission };
    case 'closed':
      if (status !== 'open') closePull(tools, pull, status);
      return { kind: 'stopped', reason: `the pull request was ${status}` };
    case 'taken-over':
      if (turn !== undefined) endTurn(tools, turn, { end: 'cancelled', reason: TAKEN_OVER });
      return { kind: 'stopped', reason: TAKEN_OVER };
    case 'rewritten': {
      const { block } = expectBlock(head);
      if (turn === undefined) blockPull(tools, pull, block);
      else blockPullOf(tools, turn, block);
      return { kind: 'stopped', reason: block.reason };
    }
  }
}

function expectBlock(head: HeadCheck): Extract<HeadCheck, { kind: 'blocked' }> {
  if (head.kind !== 'blocked') throw new Error(`expected a rewritten head, got ${head.kind}`);
  return head;
}
