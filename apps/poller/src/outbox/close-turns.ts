import { Failure, failpoint, type Log } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import type { Turn } from '@mergexo/core/turns';
import type { GitHub } from '@mergexo/github';
import type { State } from '@mergexo/state';
import { z } from 'zod';
import { blockPullOf } from '../lifecycle/block-pull.js';
import { closePull } from '../lifecycle/close-pull.js';
import { finishPullTurn } from '../lifecycle/finish-pull-turn.js';
import { failFix } from '../lifecycle/review/end-fix.js';
import { checkHead } from '../threads/check-head.js';
import { isStale } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { saveCommentIds } from './save-comment-ids.js';

export type CloseTools = {
  state: State;
  github: GitHub;
  repos: () => readonly Repo[];
  now: () => number;
  monotonicNow: () => number;
  windowMs: number;
  redact: Redact;
  log: Log;
};

/** Every turn on a pull request begins at a head. */
const Started = z.object({ headSha: z.string() });

/** Everything is said; one last look that nobody rewrote the history meanwhile, then the turn is done. */
export function createCloser(tools: CloseTools): () => Promise<void> {
  /** Looks that brought no decision are not repeated all the time. */
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
        tools.log.warn({ turn_key: turn.turnKey, err: error }, 'a turn waits for its last look at GitHub');
      }
      nextLook.set(turn.turnKey, monotonicNow() + pauseMs);
      if (state.readTurn(turn.turnKey)?.state !== 'speaking') nextLook.delete(turn.turnKey);
    }
  };
}

async function closeTurn(tools: CloseTools, turn: Turn): Promise<void> {
  const { state, github } = tools;
  const repo = tools.repos().find(({ id }) => id === turn.repoId);
  const pull = turn.prNumber === null ? undefined : state.readPull(turn.repoId, turn.prNumber);
  const run = turn.runId === null ? undefined : state.readRun(turn.runId);
  const plan = state.readPlan(turn.turnKey)?.plan;
  if (repo === undefined || pull === undefined || run === undefined || plan === undefined) return;
  const { headSha: startSha } = Started.parse(state.readTurnContext(turn.turnKey));
  const { fullName } = repo.config;
  const { pull: details, comments } =
    turn.kind === 'review'
      ? await github.fetchReviewComments(fullName, pull.prNumber)
      : { pull: await github.fetchPull(fullName, pull.prNumber), comments: [] };
  if (isStale(pull, details)) return;
  const { headSha, status } = details;
  const expected = { ...pull, acceptedHeadSha: plan.commit?.sha ?? startSha };
  const head = await checkHead(tools, fullName, expected, headSha);
  if (head.kind === 'unclear') return;
  failpoint('poller:turn-checked');
  state.transaction(() => {
    const now = state.readTurn(turn.turnKey);
    const known = state.readPull(pull.repoId, pull.prNumber);
    if (now?.state !== 'speaking' || known === undefined) return;
    saveCommentIds(tools, now, comments);
    // One that was neither pushed nor failed by now would be made for ever.
    if (now.kind === 'review_fix')
      failFix(tools, now, { cause: 'other', reason: 'it ended without commits' });
    if (head.kind === 'blocked') blockPullOf(tools, now, head.block);
    else finishPullTurn(tools, now, { pull: known, run, plan, headSha });
    if (status !== 'open') closePull(tools, pull.repoId, pull.prNumber, status);
  });
  failpoint('poller:turn-settled');
}
