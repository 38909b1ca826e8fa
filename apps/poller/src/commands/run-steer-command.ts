import type { Remark } from '@mergexo/core/feedback';
import type { SteerOrder } from '@mergexo/core/ledger';
import type { Records } from '../tools.js';
import { type Reply, reply } from './reply.js';
import { steer } from './steer-work.js';

/** Pauses, resumes or cancels the work on an issue. Returns undefined if there was nothing to resume. Requires a transaction. */
export function runSteerCommand(
  tools: Records,
  order: SteerOrder,
  { repoId, issueNumber, remark }: { repoId: number; issueNumber: number; remark: Remark },
): Reply | undefined {
  const repository = tools.state.listRepositories().find(({ id }) => id === repoId);
  if (repository === undefined) throw new Error(`a command came from the unknown repository ${repoId}`);
  const by = remark.author.login;
  const done = steer(tools, { repository, issueNumber }, { order, by, reason: null });
  if ('kind' in done) return reply(done.reason);
  if (order === 'resume') return done.changed ? reply('Resumed.') : undefined;
  if (!done.changed) return reply('This issue is already paused. Comment `/mergexo resume` to continue.');
  return reply(ANSWERS[order](done.turn !== null));
}

const RESUME = 'Comment `/mergexo resume` to continue.';

const ANSWERS: Record<Exclude<SteerOrder, 'resume'>, (isRunning: boolean) => string> = {
  pause: (isRunning) =>
    `Paused. ${isRunning ? 'The running turn will finish; to stop it, comment `/mergexo cancel`. ' : ''}${RESUME}`,
  cancel: () => `Canceled the turn, and paused. ${RESUME}`,
};
