import { explainDistrust } from '@mergexo/core/runs';
import { StartContext, type Turn } from '@mergexo/core/turns';
import type { IssueComment } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { endTurn } from '../lifecycle/end-turn.js';
import {
  abandonStart,
  describeAbandonment,
  findAbandonment,
  findRemovedAuthor,
} from '../lifecycle/run/abandon-start.js';
import { waitAgain } from '../lifecycle/run/run.js';
import { leaveBranch } from '../lifecycle/run/stop-run.js';
import { DELETED } from '../lifecycle/skip-reasons.js';
import type { Refreshed } from '../refreshed.js';
import { later } from '../refreshed.js';
import { dropDistrusted, NOBODY_ALLOWED } from '../threads/drop-distrusted.js';
import { findCheckpoint } from '../threads/find-checkpoint.js';
import { findGone } from '../threads/find-deleted.js';
import type { Repo } from '../tools.js';
import { isUnmoved, type RefreshTools } from './refresh-tools.js';

/** The issue may be closed or taken over since, what was said there deleted, and its branch may have moved. */
export async function refreshStart(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  run: Run,
): Promise<Refreshed> {
  const { state, github } = tools;
  const { fullName, labels, allowedUsers } = repo.config;
  const adopted = await tools.adoptOwnPull(repo, run);
  if (adopted !== undefined)
    return { kind: 'refused', reason: `pull request #${adopted.number} is there already` };
  const { issue, comments } = await github.fetchThread(fullName, run.issueNumber);
  // Work that an agent has done is posted, whoever was removed meanwhile.
  const removed = turn.planDigest === null ? findRemovedAuthor(state, issue, run, allowedUsers) : undefined;
  const abandonment = findAbandonment(issue, labels.ignore) ?? removed;
  if (abandonment === undefined) {
    const refused = turn.planDigest === null ? await dropComments(tools, repo, turn, comments) : undefined;
    return refused ?? refreshCheckpoint(tools, repo, turn, run);
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
 * Comments that were deleted, or whose author was removed from `allowed_users`, reach no agent. Where nothing else was
 * said, the work waits as it did before.
 */
async function dropComments(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  comments: readonly IssueComment[],
): Promise<Refreshed | undefined> {
  const { state } = tools;
  const claimed = state
    .listEventsOfFeedbackTurn(turn.turnKey)
    .filter(({ processedAt }) => processedAt === null);
  const gone = await findGone(tools, repo, claimed, comments);
  return state.transaction((): Refreshed | undefined => {
    const now = state.readTurn(turn.turnKey);
    const run = turn.runId === null ? undefined : state.readRun(turn.runId);
    if (now === undefined || run === undefined || !isUnmoved(now, turn))
      return later('the turn moved on meanwhile');
    for (const event of gone) state.markEventProcessed(event, tools.now(), DELETED);
    const present = claimed.filter((event) => !gone.includes(event));
    const left = dropDistrusted(tools, repo, present);
    const context = StartContext.parse(state.readTurnContext(turn.turnKey));
    const ids = new Set(claimed.filter((event) => !left.includes(event)).map(({ commentId }) => commentId));
    const isLeft = ({ id, author }: { id: number; author: string }): boolean =>
      !ids.has(id) && isAllowed(repo, author);
    const followup = context.followup && {
      ...context.followup,
      comments: context.followup.comments.filter(isLeft),
    };
    state.saveTurnContext(turn.turnKey, { ...context, comments: context.comments.filter(isLeft), followup });
    if (ids.size === 0 || followup === null || followup.comments.length > 0) return undefined;
    const reason =
      present.length > left.length ? NOBODY_ALLOWED : 'every comment that it was to act on was deleted';
    endTurn(tools, now, 'cancelled', reason);
    waitAgain(tools, run, followup);
    return { kind: 'refused', reason };
  });
}

/** The context knows people by login; bots never got into it. */
function isAllowed({ config }: Repo, login: string): boolean {
  return explainDistrust({ id: 0, login, type: 'User' }, config.allowedUsers) === undefined;
}

/** Somebody may have pushed onto the checkpoint since the turn was opened. */
async function refreshCheckpoint(tools: RefreshTools, repo: Repo, turn: Turn, run: Run): Promise<Refreshed> {
  const { state } = tools;
  const { followup } = StartContext.parse(state.readTurnContext(turn.turnKey));
  if (followup === null || followup.checkpoint === null || turn.planDigest !== null) return { kind: 'fresh' };
  const found = await findCheckpoint(tools, repo, run);
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    if (now === undefined || !isUnmoved(now, turn)) return later('the turn moved on meanwhile');
    if (found.kind === 'diverged') {
      endTurn(tools, now, 'cancelled', 'the branch of the checkpoint went another way');
      leaveBranch(tools, state.readRun(run.id) ?? run);
      return { kind: 'refused', reason: 'the branch went another way' };
    }
    const context = StartContext.parse(state.readTurnContext(turn.turnKey));
    const { checkpoint } = found;
    state.saveTurnContext(turn.turnKey, { ...context, followup: { ...followup, checkpoint } });
    return { kind: 'fresh' };
  });
}
