import type { Config } from '@mergexo/config';
import { Failure, failpoint } from '@mergexo/core/basics';
import { isReadyToAnswer } from '@mergexo/core/feedback';
import { FLOW_TRAITS } from '@mergexo/core/flows';
import { findCap } from '@mergexo/core/runs';
import { type Checkpoint, type Links, type StartContext, type Turn, toRole } from '@mergexo/core/turns';
import type { GitHub, Issue, IssueComment } from '@mergexo/github';
import type { FeedbackEvent, Run, State } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import { abandonStart, endRun, findAbandonment, findRemovedAuthor } from '../lifecycle/run/abandon-start.js';
import { noteFollowup } from '../lifecycle/run/end-start.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { parkRun, startRun } from '../lifecycle/run/run.js';
import { leaveBranch } from '../lifecycle/run/stop-run.js';
import { recordTurn } from '../lifecycle/turn.js';
import { describeIssue } from '../threads/describe-issue.js';
import { dropDistrusted } from '../threads/drop-distrusted.js';
import { fetchLinked } from '../threads/fetch-linked.js';
import { findCheckpoint } from '../threads/find-checkpoint.js';
import { findDeleted } from '../threads/find-deleted.js';
import { listFollowups, recordThread } from '../threads/record-issue-remark.js';
import type { RemarkTools } from '../threads/record-remark.js';
import { refreshBlockers } from '../threads/refresh-blockers.js';
import { selectIssueComments, withoutCommands } from '../threads/select-issue-comments.js';
import type { Recent, Repo } from '../tools.js';
import { buildTurn } from './build-turn.js';
import { holdBlocked, holdWhileBlocked } from './hold-blocked.js';
import { listDecisions } from './list-decisions.js';
import { lookAtWaiting } from './look-at-waiting.js';

export type OpenTools = RemarkTools &
  Recent & {
    github: Pick<
      GitHub,
      | 'fetchBlockers'
      | 'fetchIssue'
      | 'fetchThread'
      | 'refreshThread'
      | 'refreshIssue'
      | 'fetchIssueComment'
      | 'fetchBranchHead'
      | 'compareCommits'
      | 'fetchRepository'
    >;
    limits: Config['limits'];
    debounceMs: number;
    windowMs: number;
  };

/** Opens a turn for each run that is within its limits and is either ready or has a new reply. */
export async function openStartTurns(tools: OpenTools, repo: Repo): Promise<void> {
  const waiting = tools.state.listRuns(repo.id, ['awaiting_issue_followup']);
  // Omits implementations, because the scheduler starts them.
  const starts = tools.state.listRuns(repo.id, ['ready']).filter(({ flow }) => flow !== 'implementation');
  const ready = starts.filter((run) => !holdWhileBlocked(tools, repo, run));
  let isFull = false;
  for (const run of [...waiting.filter((other) => mayResume(tools, repo, other)), ...ready]) {
    const used = measureUse(tools, repo, run);
    // A waiting run already counts as open.
    const cap = findCap(tools.limits, run.status === 'ready' ? used : { ...used, openRuns: 0, openPulls: 0 });
    if (cap === undefined) await attemptStart(tools, repo, run);
    else parkRun(tools, run, cap);
    isFull ||= cap?.key === 'max_open_runs';
  }
  if (isFull) await lookAtWaiting(tools, repo, waiting);
}

/** True once somebody has replied and the debounce period is over, or if a deferred run has no comments left. */
function mayResume({ state, now, debounceMs, ...tools }: OpenTools, repo: Repo, run: Run): boolean {
  const { issueNumber } = run;
  if (run.ignoredSince !== null || state.readLiveTurnOfRun(run.id) !== undefined) return false;
  // The outbox must settle all actions before the run resumes.
  if (state.hasUnsettledActions(repo.id, issueNumber)) return false;
  const events = listFollowups({ state, ...tools }, repo.id, issueNumber);
  // If the new comments were deleted, a deferred run continues without them.
  if (events.length === 0) return isDeferred({ state }, run);
  if (!repo.config.enableIssueCommentRouting && !isDeferred({ state }, run)) return false;
  const waiting = events.map(({ seenAt, kind }) => ({ seenAt, kind, reviewId: null }));
  return isReadyToAnswer(waiting, { now: now(), debounceMs });
}

function isDeferred({ state }: Pick<OpenTools, 'state'>, { repoId, issueNumber }: Run): boolean {
  return state.readFollowup(repoId, issueNumber)?.context.waitKind === 'new_issue_comments_pending';
}

/** Opens a start turn. An unreadable issue does not delay other runs. */
export async function attemptStart(tools: OpenTools, repo: Repo, run: Run): Promise<void> {
  try {
    await openStartTurn(tools, repo, run);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
    if (error.kind === 'not-found') {
      // A 404 may be a temporary loss of access, so the run ends only if the repository is readable.
      await tools.github.fetchRepository(repo.config.fullName);
      const end = { end: 'issue_gone', reason: 'the issue is gone' } as const;
      tools.state.transaction(() => endRun(tools, run, end));
    } else
      tools.log.warn(
        { issue_number: run.issueNumber, err: error },
        'could not read an issue to start work on; MergeXO retries in the next cycle',
      );
  }
}

async function openStartTurn(tools: OpenTools, repo: Repo, seen: Run): Promise<void> {
  const { state } = tools;
  const thread = await tools.github.refreshThread(repo.config.fullName, seen.issueNumber, tools.recentMs);
  if (await isBlockedNow(tools, repo, { run: seen, issue: thread.issue })) return;
  const gone = await findDeleted(tools, repo, { issueNumber: seen.issueNumber, comments: thread.comments });
  const found = await findCheckpoint(tools, repo, seen);
  const links = await fetchLinked(tools, repo, {
    texts: [thread.issue, ...selectIssueComments(tools, repo, thread.comments)].map(({ body }) => body),
    except: [seen.issueNumber],
  });
  failpoint('poller:remarks-read');
  const opened = state.transaction(() => {
    const run = state.readRun(seen.id);
    if (run === undefined || run.status !== seen.status) return false;
    const { labels, allowedUsers } = repo.config;
    const abandonment =
      findAbandonment(thread.issue, labels.ignore) ??
      findRemovedAuthor(state, run, { author: thread.issue.author, allowedUsers });
    if (abandonment !== undefined) {
      abandonStart(tools, run, abandonment);
      return false;
    }
    if (found.kind === 'diverged') {
      leaveBranch(tools, run);
      return false;
    }
    recordThread(tools, repo, { comments: thread.comments });
    for (const event of gone) state.markEventProcessed(event, tools.now(), { code: 'deleted' });
    const left = dropDistrusted(tools, repo, listFollowups(tools, repo.id, run.issueNumber));
    if (run.status === 'awaiting_issue_followup' && left.length === 0 && !isDeferred(tools, run))
      return false;
    return record(tools, repo, { run, thread: { ...thread, links, checkpoint: found.checkpoint } });
  });
  if (opened) failpoint('poller:turn-opened');
}

/** Asks GitHub for the blockers of an issue once more, unless its work has started before. */
async function isBlockedNow(
  tools: OpenTools,
  repo: Repo,
  { run, issue }: { run: Run; issue: Issue },
): Promise<boolean> {
  if (run.status !== 'ready' || issue.blockedBy === 0) return false;
  const blockedBy = await refreshBlockers(tools, repo, { number: issue.number, count: issue.blockedBy });
  if (blockedBy !== null) holdBlocked(tools, repo, { id: run.id, blockedBy });
  return blockedBy !== null;
}

type Thread = {
  issue: Issue;
  comments: readonly IssueComment[];
  links: Links;
  checkpoint: Checkpoint | null;
};

function record(tools: OpenTools, repo: Repo, { run, thread }: { run: Run; thread: Thread }): boolean {
  const { state } = tools;
  const events = listFollowups(tools, repo.id, run.issueNumber);
  const context = buildContext(tools, repo, { run, ...thread, events });
  const turn = buildStart(tools, run, context.followup === null ? [] : events);
  if (!recordTurn(tools, turn, context)) return false;
  const keys = events.map(({ eventKey }) => eventKey);
  state.claimEvents(repo.id, keys, turn.turnKey);
  const { consumedUpTo: runStartCommentId, followup } = context;
  startRun(tools, run, runStartCommentId);
  const { repoId, issueNumber, turnKey } = turn;
  recordEvents(tools, [
    { type: 'turn_opened', repoId, runId: run.id, issueNumber, turnKey, payload: { kind: turn.kind } },
  ]);
  if (followup === null) return true;
  const about = { run, repo: repo.config.fullName, events, waitKind: followup.waitKind };
  noteFollowup(tools, 'pre_pr_followup_comments_detected', about);
  noteFollowup(tools, 'pre_pr_followup_enqueued', about);
  return true;
}

/**
 * Builds a turn. Its key depends on the comments, with their versions, on the last reset by an operator, and on the last
 * time that the issue of an implementation was closed.
 */
function buildStart(tools: OpenTools, run: Run, events: readonly FeedbackEvent[]): Turn {
  const again = run.clearedAt === 0 ? [] : ['again', run.clearedAt];
  // Only an implementation continues after it was closed. Other flows get a new run.
  const closed = tools.state.readLastEventOfIssue(run.repoId, run.issueNumber, 'run_closed');
  const reopened = closed?.runId === run.id ? ['reopened', closed.createdAt] : [];
  const keys = events.map(({ eventKey }) => eventKey).sort();
  const about = { ...run, runId: run.id, kind: FLOW_TRAITS[run.flow].startKind, prNumber: null };
  return buildTurn(tools, about, [run.flow, run.ordinal, ...keys, ...again, ...reopened]);
}

/** Builds the agent's context. Includes only comments by allowed people, without commands. */
function buildContext(
  tools: OpenTools,
  repo: Repo,
  {
    run,
    issue,
    comments,
    links,
    checkpoint,
    events,
  }: Thread & { run: Run; events: readonly FeedbackEvent[] },
): StartContext {
  const { state } = tools;
  const { fullName } = repo.config;
  if (run.branch === null) throw new Failure('invalid-data', `run ${run.id} has no branch`);
  const followup = describeFollowup(state, run, { checkpoint, events });
  const session = state.readSession(run.id);
  const ids = [...comments.map(({ id }) => id), ...events.map(({ commentId }) => commentId)];
  return {
    repo: fullName,
    flow: run.flow,
    branch: run.branch,
    designDocPath: run.designDocPath,
    issue: describeIssue(issue),
    comments: listComments(tools, repo, { comments, events }),
    ...links,
    consumedUpTo: Math.max(0, ...ids),
    followup,
    session: session === undefined ? null : { adapter: session.adapter, threadId: session.threadId },
    stateSummary: session?.stateSummary ?? '',
    design: run.flow === 'implementation' ? describeDesign(state, run) : null,
  };
}

/** Describes the design without its document, because the worker reads the document from the base branch. */
function describeDesign(state: State, run: Run): StartContext['design'] {
  const parent = run.parentRunId === null ? undefined : state.readRun(run.parentRunId);
  return {
    path: run.designDocPath ?? '',
    mergeSha: run.designMergeSha ?? '',
    prNumber:
      state.readLastEventOfIssue(run.repoId, run.issueNumber, 'implementation_ready')?.prNumber ??
      parent?.prNumber ??
      null,
    stateSummary: (parent && state.readLastSession(parent.id)?.stateSummary) ?? null,
    ...(parent === undefined ? { answeredThreads: [], omittedThreads: 0 } : listDecisions(state, parent)),
  };
}

type StartComment = StartContext['comments'][number];

/** Returns earlier comments from GitHub's list and new comments from the database, because the list may lag. */
function listComments(
  tools: OpenTools,
  repo: Repo,
  { comments, events }: { comments: readonly IssueComment[]; events: readonly FeedbackEvent[] },
): StartComment[] {
  const fresh = new Map(events.map((event) => [event.commentId, toNew(event)]));
  const listed = selectIssueComments(tools, repo, comments)
    .filter(({ id }) => !fresh.has(id))
    .map(({ author, association, ...comment }) =>
      toStartComment({ ...comment, author: author.login, ...toRole(association) }),
    );
  return [...listed, ...fresh.values()].filter(({ body }) => body !== '').sort((a, b) => a.id - b.id);
}

function toNew({ commentId: id, payload }: FeedbackEvent): StartComment {
  return toStartComment({
    ...payload,
    id,
    body: withoutCommands(payload.body),
    author: payload.author.login,
    ...toRole(payload.association),
  });
}

function describeFollowup(
  state: State,
  run: Run,
  { checkpoint, events }: { checkpoint: Checkpoint | null; events: readonly FeedbackEvent[] },
): StartContext['followup'] {
  const waited = state.readFollowup(run.repoId, run.issueNumber);
  const comments = events.map(toNew);
  if (waited !== undefined) {
    const { waitKind } = waited.context;
    return { waitKind, reason: waited.waitingReason, checkpoint, comments };
  }
  // An earlier turn pushed commits but was interrupted.
  return checkpoint === null ? null : { waitKind: 'interrupted', reason: '', checkpoint, comments };
}

function toStartComment({ id, author, role, body, createdAt, updatedAt, url }: StartComment): StartComment {
  return { id, author, ...(role !== undefined && { role }), body, createdAt, updatedAt, url };
}
