import { StartContext, type Turn } from '@mergexo/core/turns';
import type { Issue, IssueComment } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { endTurn } from '../lifecycle/end-turn.js';
import { readRunOf } from '../lifecycle/read-pull-of.js';
import {
  abandonStart,
  describeAbandonment,
  findAbandonment,
  findRemovedAuthor,
} from '../lifecycle/run/abandon-start.js';
import { waitAgain } from '../lifecycle/run/run.js';
import { leaveBranch } from '../lifecycle/run/stop-run.js';
import type { Refreshed } from '../refreshed.js';
import { describeIssue } from '../threads/describe-issue.js';
import { dropDistrusted, NOBODY_ALLOWED } from '../threads/drop-distrusted.js';
import { findCheckpoint } from '../threads/find-checkpoint.js';
import { findGone } from '../threads/find-deleted.js';
import { isAllowedLogin } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';
import { checkBlockers } from './check-blockers.js';
import { isUnmoved, MOVED, type RefreshTools } from './refresh-tools.js';

/** Rechecks an issue before the agent starts, because its comments, labels, status or branch may have changed. */
export async function refreshStart(
  tools: RefreshTools,
  repo: Repo,
  { turn, run }: { turn: Turn; run: Run },
): Promise<Refreshed> {
  const { state, github } = tools;
  const { fullName, labels, allowedUsers } = repo.config;
  const [adopted, { issue, comments }] = await Promise.all([
    tools.adoptOwnPull(repo, run),
    github.refreshThread(fullName, run.issueNumber, tools.recentMs),
  ]);
  if (adopted !== undefined)
    return { kind: 'refused', reason: `pull request #${adopted.number} already exists` };
  // A finished plan is posted even if the issue's author has been removed from `allowed_users`.
  const removed =
    turn.planDigest === null
      ? findRemovedAuthor(state, run, { author: issue.author, allowedUsers })
      : undefined;
  const abandonment = findAbandonment(issue, labels.ignore) ?? removed;
  if (abandonment === undefined) {
    const blocked = await checkBlockers(tools, repo, { turn, run, issue });
    if (blocked.kind !== 'fresh') return blocked;
    const refused =
      turn.planDigest === null ? await renewContext(tools, repo, { turn, issue, comments }) : undefined;
    return refused ?? refreshCheckpoint(tools, repo, { turn, run });
  }
  state.transaction(() => {
    const now = state.readTurn(turn.turnKey);
    const known = state.readRun(run.id);
    if (now === undefined || known === undefined || !isUnmoved(now, turn)) return;
    abandonStart(tools, known, abandonment);
  });
  return { kind: 'refused', reason: describeAbandonment(abandonment) };
}

/**
 * Renews the issue's text, which may have changed while the turn was waiting. Removes comments that were deleted, or
 * whose author was removed from `allowed_users`. If no reply is left, the run waits for a new reply.
 */
async function renewContext(
  tools: RefreshTools,
  repo: Repo,
  { turn, issue, comments }: { turn: Turn; issue: Issue; comments: readonly IssueComment[] },
): Promise<Refreshed | undefined> {
  const { state } = tools;
  const claimed = state
    .listEventsOfFeedbackTurn(turn.turnKey)
    .filter(({ processedAt }) => processedAt === null);
  const gone = await findGone(tools, repo, { events: claimed, comments });
  return state.transaction((): Refreshed | undefined => {
    const now = state.readTurn(turn.turnKey);
    const run = readRunOf(state, turn);
    if (now === undefined || run === undefined || !isUnmoved(now, turn)) return MOVED;
    for (const event of gone) state.markEventProcessed(event, tools.now(), { code: 'deleted' });
    const present = claimed.filter((event) => !gone.includes(event));
    const left = dropDistrusted(tools, repo, present);
    const context = StartContext.parse(state.readTurnContext(turn.turnKey));
    const ids = new Set(claimed.filter((event) => !left.includes(event)).map(({ commentId }) => commentId));
    const isLeft = ({ id, author }: { id: number; author: string }): boolean =>
      !ids.has(id) && isAllowedLogin(repo, author);
    const followup = context.followup && {
      ...context.followup,
      comments: context.followup.comments.filter(isLeft),
    };
    const linked = context.linked.filter(({ author }) => isAllowedLogin(repo, author));
    const kept = { comments: context.comments.filter(isLeft), linked, followup };
    state.saveTurnContext(turn.turnKey, { ...context, ...kept, issue: describeIssue(issue) });
    if (ids.size === 0 || followup === null || followup.comments.length > 0) return undefined;
    const reason = present.length > left.length ? NOBODY_ALLOWED : 'all its comments were deleted';
    endTurn(tools, now, { end: 'cancelled', reason });
    waitAgain(tools, run, followup);
    return { kind: 'refused', reason };
  });
}

/** Reads the checkpoint branch again, because somebody may have pushed to the branch since the turn opened. */
async function refreshCheckpoint(
  tools: RefreshTools,
  repo: Repo,
  { turn, run }: { turn: Turn; run: Run },
): Promise<Refreshed> {
  const { state } = tools;
  const { followup } = StartContext.parse(state.readTurnContext(turn.turnKey));
  if (followup === null || followup.checkpoint === null || turn.planDigest !== null) return { kind: 'fresh' };
  const found = await findCheckpoint(tools, repo, run);
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    if (now === undefined || !isUnmoved(now, turn)) return MOVED;
    if (found.kind === 'diverged') {
      const reason = 'somebody rewrote the branch of the checkpoint';
      endTurn(tools, now, { end: 'cancelled', reason });
      leaveBranch(tools, state.readRun(run.id) ?? run);
      return { kind: 'refused', reason };
    }
    const context = StartContext.parse(state.readTurnContext(turn.turnKey));
    const { checkpoint } = found;
    state.saveTurnContext(turn.turnKey, { ...context, followup: { ...followup, checkpoint } });
    return { kind: 'fresh' };
  });
}
