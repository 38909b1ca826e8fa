import type { Remark } from '@mergexo/core/feedback';
import type { SteerOrder } from '@mergexo/core/ledger';
import { describePause, findPause } from '@mergexo/core/runs';
import type { Records } from '../tools.js';
import { type Reply, reply } from './reply.js';
import { steer } from './steer-work.js';

type Place = { repoId: number; issueNumber: number; remark: Remark; reason: string | null };
type Order = Exclude<SteerOrder, 'resume'>;

const RESUME = 'Comment `/mergexo resume` to continue.';
const PAUSED = `This issue is already paused. ${RESUME}`;

const TEXTS: Record<Order, { done: (isRunning: boolean) => string; already: string }> = {
  pause: {
    done: (isRunning) =>
      `Paused. ${isRunning ? 'The running turn will finish; to stop it, comment `/mergexo cancel`. ' : ''}${RESUME}`,
    already: PAUSED,
  },
  cancel: { done: () => `Canceled the turn and paused this issue. ${RESUME}`, already: PAUSED },
  'skip-review': {
    done: () =>
      'Skipped the AI review of the current head commit. MergeXO will review later commits. Comment `/mergexo resume` to review this one after all.',
    already: 'The AI review of this commit is already skipped. Comment `/mergexo resume` to review it.',
  },
};

/** Carries out an operator's comment. Requires a transaction. */
export function runSteerCommand(tools: Records, order: Order, place: Place): Reply {
  const done = give(tools, order, place);
  if ('kind' in done) return reply(done.reason);
  const { done: describe, already } = TEXTS[order];
  return reply(done.changed ? describe(done.turn !== null) : already);
}

/**
 * Ends the pause of an issue. Returns the reply, which names a pause of the repository or of all work that still holds;
 * undefined if nothing was paused. Requires a transaction.
 */
export function resumeIssue(tools: Records, place: Place): string | undefined {
  const done = give(tools, 'resume', place);
  if ('kind' in done) return done.reason;
  const left = findPause(tools.state.listPauses(), place);
  if (left === undefined) return done.changed ? 'Resumed.' : undefined;
  return `${done.changed ? 'Resumed this issue, but it' : 'This issue'} still waits for ${describePause(left)}.`;
}

function give(
  tools: Records,
  order: SteerOrder,
  { repoId, issueNumber, remark, reason }: Place,
): ReturnType<typeof steer> {
  const repository = tools.state.listRepositories().find(({ id }) => id === repoId);
  if (repository === undefined) throw new Error(`a command came from the unknown repository ${repoId}`);
  const cause = [remark.commentId, remark.updatedAt];
  return steer(tools, { repository, issueNumber }, { order, by: remark.author.login, reason, cause });
}
