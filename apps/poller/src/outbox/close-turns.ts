import { Failure, failpoint } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import type { Turn } from '@mergexo/core/turns';
import type { GitHub } from '@mergexo/github';
import { z } from 'zod';
import { blockPullOf } from '../lifecycle/block-pull.js';
import { closePull } from '../lifecycle/close-pull.js';
import { finishPullTurn } from '../lifecycle/finish-pull-turn.js';
import { readPullOf, readRunOf } from '../lifecycle/read-pull-of.js';
import { failFix } from '../lifecycle/review/end-fix.js';
import { checkTurnHead } from '../threads/check-head.js';
import type { Records, Repo } from '../tools.js';
import { saveCommentIds } from './save-comment-ids.js';

export type CloseTools = Records & {
  github: GitHub;
  repos: () => readonly Repo[];
  monotonicNow: () => number;
  windowMs: number;
  redact: Redact;
};

/** Part of the context of every turn on a pull request: the head at which the turn started. */
const Started = z.object({ headSha: z.string() });

/** Completes turns whose actions are settled, after a last check that nobody rewrote the history of the branch. */
export function createCloser(tools: CloseTools): () => Promise<void> {
  /** Time of the next check for each turn whose last check was inconclusive, because each check makes requests. */
  const nextLook = new Map<string, number>();
  return async () => {
    const { state, monotonicNow } = tools;
    const said = state
      .listTurnsInState('speaking')
      .filter(({ prNumber, turnKey }) => prNumber !== null && state.countUnsettledActions(turnKey) === 0)
      .filter(({ turnKey }) => (nextLook.get(turnKey) ?? 0) <= monotonicNow());
    for (const turn of said) {
      let pauseMs = tools.windowMs / 4;
      try {
        await closeTurn(tools, turn);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        if (error.kind === 'rate-limited') pauseMs = Math.max(pauseMs, error.retryAfterMs ?? 60_000);
        tools.log.warn(
          { turn_key: turn.turnKey, err: error },
          'could not check the head of a pull request; its turn stays open and MergeXO retries',
        );
      }
      nextLook.set(turn.turnKey, monotonicNow() + pauseMs);
      if (state.readTurn(turn.turnKey)?.state !== 'speaking') nextLook.delete(turn.turnKey);
    }
  };
}

async function closeTurn(tools: CloseTools, turn: Turn): Promise<void> {
  const { state, github } = tools;
  const repo = tools.repos().find(({ id }) => id === turn.repoId);
  const pull = readPullOf(state, turn);
  const run = readRunOf(state, turn);
  const plan = state.readPlan(turn.turnKey)?.plan;
  if (repo === undefined || pull === undefined || run === undefined || plan === undefined) return;
  const { headSha: startSha } = Started.parse(state.readTurnContext(turn.turnKey));
  const { fullName } = repo.config;
  const { pull: details, comments } =
    turn.kind === 'review'
      ? await github.fetchReviewComments(fullName, pull.prNumber)
      : { pull: await github.fetchPull(fullName, pull.prNumber), comments: [] };
  const { headSha, status } = details;
  const heads = { pull, observedSha: headSha, startSha, commitSha: plan.commit?.sha };
  const head = await checkTurnHead(tools, fullName, heads);
  if (head.kind === 'unclear') return;
  failpoint('poller:turn-checked');
  state.transaction(() => {
    const now = state.readTurn(turn.turnKey);
    const known = state.readPull(pull.repoId, pull.prNumber);
    if (now?.state !== 'speaking' || known === undefined) return;
    saveCommentIds(tools, now, comments);
    // A fix without a recorded end would be repeated forever.
    if (now.kind === 'review_fix')
      failFix(tools, now, { cause: 'other', reason: 'the fix ended without commits' });
    if (head.kind === 'blocked') blockPullOf(tools, now, head.block);
    else finishPullTurn(tools, now, { pull: known, run, plan, headSha });
    if (status !== 'open') closePull(tools, pull, status);
  });
  failpoint('poller:turn-settled');
}
