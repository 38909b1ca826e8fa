import type { Remark } from '@mergexo/core/feedback';
import type { SteerOrder } from '@mergexo/core/ledger';
import type { Records } from '../tools.js';
import { type Reply, reply } from './reply.js';
import { steer } from './steer-work.js';

/** Carries out an operator's comment. Returns undefined if there was nothing to resume. Requires a transaction. */
export function runSteerCommand(
  tools: Records,
  order: SteerOrder,
  { repoId, issueNumber, remark }: { repoId: number; issueNumber: number; remark: Remark },
): Reply | undefined {
  const repository = tools.state.listRepositories().find(({ id }) => id === repoId);
  if (repository === undefined) throw new Error(`a command came from the unknown repository ${repoId}`);
  const by = remark.author.login;
  const cause = [remark.commentId, remark.updatedAt];
  const done = steer(tools, { repository, issueNumber }, { order, by, reason: null, cause });
  if ('kind' in done) return reply(done.reason);
  if (order === 'resume') return done.changed ? reply('Resumed.') : undefined;
  if (!done.changed) return reply(UNCHANGED[order]);
  return reply(ANSWERS[order](done.turn !== null));
}

const RESUME = 'Comment `/mergexo resume` to continue.';

const ANSWERS: Record<Exclude<SteerOrder, 'resume'>, (isRunning: boolean) => string> = {
  pause: (isRunning) =>
    `Paused. ${isRunning ? 'The running turn will finish; to stop it, comment `/mergexo cancel`. ' : ''}${RESUME}`,
  cancel: () => `Canceled the turn, and paused. ${RESUME}`,
  'skip-review': () =>
    'Skipped the AI review of the current head commit. MergeXO will review later commits. Comment `/mergexo resume` to review this one after all.',
};

const PAUSED = `This issue is already paused. ${RESUME}`;
const UNCHANGED: Record<Exclude<SteerOrder, 'resume'>, string> = {
  pause: PAUSED,
  cancel: PAUSED,
  'skip-review': 'The AI review of this commit is already skipped. Comment `/mergexo resume` to review it.',
};
