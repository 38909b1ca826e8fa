import { type Action, buildTarget, computeActionId, parseTarget } from '@mergexo/core/actions';
import type { PullReceipt } from '@mergexo/core/outbox';
import { FeedbackContext, isLive, isOfFamily, StartContext } from '@mergexo/core/turns';
import type { Pull, Run, State } from '@mergexo/state';
import { readReview } from '../lifecycle/review/read-review.js';
import type { Repo } from '../tools.js';
import type { PostContext } from './posts/post.js';

const NO_RUN = 0;

/**
 * Returns the context of a post; undefined while the action cannot be posted, because a turn posts only after its push.
 */
export function readPostContext(
  tools: { state: State; repos: () => readonly Repo[] },
  action: Action,
): PostContext | undefined {
  const { state } = tools;
  const turn = action.turnKey === null ? undefined : state.readTurn(action.turnKey);
  const target = parseTarget(action.target);
  const runId = turn?.runId ?? (target.kind === 'run' ? target.runId : undefined);
  const run = runId === undefined ? undefined : state.readRun(runId);
  const repo = tools.repos().find(({ id }) => id === action.repoId);
  // A notice that belongs to no run has the run id `NO_RUN`.
  if (repo === undefined || (run === undefined && runId !== NO_RUN)) return undefined;
  // An ended turn passes this check, because the outbox still searches GitHub for its `sending` actions.
  if (turn !== undefined && isLive(turn) && turn.state !== 'speaking') return undefined;
  const pull = run?.prNumber == null ? undefined : state.readPull(repo.id, run.prNumber);
  const plan = turn === undefined ? null : (state.readPlan(turn.turnKey)?.plan ?? null);
  const context = turn === undefined ? undefined : state.readTurnContext(turn.turnKey);
  const feedback = turn && isOfFamily(turn.kind, 'feedback') ? FeedbackContext.parse(context) : undefined;
  const start = turn && isOfFamily(turn.kind, 'start') ? StartContext.parse(context) : undefined;
  const review = turn && readReview(state, turn);
  const followup = run && state.readFollowup(run.repoId, run.issueNumber);
  const receipt =
    run && repo.config.showCost && action.kind === 'open_pull' ? readReceipt(state, run) : undefined;
  const generalUrl = action.kind === 'thread_link' ? findGeneralUrl(state, action, pull) : null;
  return { repo, turn, run, plan, pull, feedback, generalUrl, start, followup, review, receipt };
}

function findGeneralUrl(state: State, { turnKey, thread }: Action, pull: Pull | undefined): string | null {
  const target = buildTarget({ kind: 'pull', number: thread });
  const general =
    turnKey === null ? undefined : state.readAction(computeActionId(turnKey, 'general_comment', target));
  if (general === undefined || general.remoteId === null) return null;
  return `${pull?.url ?? ''}#issuecomment-${general.remoteId}`;
}

/** The run can use nothing more until the pull request is open, so each rendering is identical. */
function readReceipt(state: State, run: Run): PullReceipt | undefined {
  const { agents, attemptsWithoutCost, ...use } = state.readUseOfRun(run.id);
  if (use.attempts === 0) return undefined;
  const isKnown = attemptsWithoutCost === 0;
  return { ...use, agents: agents?.split(',') ?? [], costUsd: isKnown ? use.costUsd : null };
}
