import { type Admission, decideAdmission } from '@mergexo/core/feedback';
import type { Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { type Block, blockPull, blockPullOf } from './block-pull.js';
import { closePull } from './close-pull.js';
import { endTurn } from './end-turn.js';

/** How the head that GitHub shows relates to the last accepted one. `unclear`: GitHub's answers do not agree yet. */
export type HeadCheck = { kind: 'grown' } | { kind: 'unclear' } | { kind: 'blocked'; block: Block };

/** What GitHub showed of a pull request right before MergeXO works on it. */
export type PullSighting = { status: 'open' | 'closed' | 'merged'; isTakenOver: boolean; head: HeadCheck };

export type Admitted = { kind: Extract<Admission, 'go' | 'later'> } | { kind: 'stopped'; reason: string };

export const HEAD_UNCLEAR = 'GitHub does not show yet how the head relates to the last accepted one';
export const TAKEN_OVER = 'a person took it over';

/**
 * Decides whether work on a pull request may go on, and ends the work if it may not: a closed pull request is closed here too,
 * a takeover cancels the turn, a rewritten history blocks. Without a turn, only new work is refused. Inside a transaction.
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
      if (status !== 'open') closePull(tools, pull.repoId, pull.prNumber, status);
      return { kind: 'stopped', reason: `the pull request was ${status}` };
    case 'taken-over':
      if (turn !== undefined) endTurn(tools, turn, 'cancelled', TAKEN_OVER);
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
  if (head.kind !== 'blocked') throw new Error(`a head that is ${head.kind} is not rewritten`);
  return head;
}
