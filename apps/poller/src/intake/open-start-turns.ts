import type { Config } from '@mergexo/config';
import {
  type Cap,
  type Checkpoint,
  computeTurnKey,
  explainDistrust,
  Failure,
  failpoint,
  findCap,
  isReadyToAnswer,
  openTurn,
  parseStartCommand,
  planNotice,
  renderParkNotice,
  renderRunName,
  type StartContext,
  startKindOf,
  type Turn,
  verifyBody,
} from '@mergexo/core';
import type { GitHub, Issue, IssueComment } from '@mergexo/github';
import type { FeedbackEvent, Run, State } from '@mergexo/state';
import type { RemarkTools } from '../feedback/take-in-remark.js';
import { oldestFirst, toRemark } from '../feedback/to-remark.js';
import { abandonStart, endRun, findAbandonment } from '../followup/abandon-start.js';
import { noteFollowup } from '../followup/end-start.js';
import { listFollowups, takeInIssueRemark } from '../followup/take-in-issue-remark.js';
import { listDecisions } from '../promotion/list-decisions.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { measureUse } from './measure-use.js';

export type OpenTools = RemarkTools & {
  github: Pick<GitHub, 'fetchThread' | 'fetchIssueComment' | 'fetchBranchHead' | 'compareCommits'>;
  limits: Config['limits'];
  debounceMs: number;
};

/** Opens a turn for every run that is ready, or that waited and has been answered, and is within its caps. */
export async function openStartTurns(tools: OpenTools, repo: Repo): Promise<void> {
  const waiting = tools.state.listRuns(repo.id, ['awaiting_issue_followup']);
  // Implementations are chosen by the scheduler.
  const ready = tools.state.listRuns(repo.id, ['ready']).filter(({ flow }) => flow !== 'implementation');
  for (const run of [...waiting.filter((other) => mayResume(tools, repo, other)), ...ready]) {
    const used = measureUse(tools, repo, run);
    // Work that is open already needs no further room.
    const cap = findCap(tools.limits, run.status === 'ready' ? used : { ...used, openRuns: 0, openPulls: 0 });
    if (cap === undefined) await attemptStart(tools, repo, run);
    else park(tools, run, cap);
  }
}

/** Somebody said something, and nobody adds to it for a moment. */
function mayResume({ state, now, debounceMs, ...tools }: OpenTools, repo: Repo, run: Run): boolean {
  const { issueNumber } = run;
  if (!repo.config.enableIssueCommentRouting || run.ignoredSince !== null) return false;
  if (state.readLiveTurnOfRun(run.id) !== undefined) return false;
  // What may have been sent is decided first.
  if (state.hasUnsettledActions(repo.id, issueNumber)) return false;
  const events = listFollowups({ state, ...tools }, repo.id, issueNumber);
  const isDeferred =
    state.readFollowup(repo.id, issueNumber)?.context.waitKind === 'new_issue_comments_pending';
  // The comments that it waited for may have been deleted: then it goes on without them.
  if (events.length === 0) return isDeferred;
  return isReadyToAnswer(events, { now: now(), debounceMs });
}

/** A run whose issue cannot be read holds up no other run. */
export async function attemptStart(tools: OpenTools, repo: Repo, run: Run): Promise<void> {
  try {
    await openStartTurn(tools, repo, run);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
    if (error.kind === 'not-found') {
      const end = { reason: 'the issue is gone', kind: null, said: false };
      tools.state.transaction(() => endRun(tools, run, end));
    } else tools.log.warn({ issue_number: run.issueNumber, err: error }, 'a start waits for its issue');
  }
}

async function openStartTurn(tools: OpenTools, repo: Repo, seen: Run): Promise<void> {
  const { state } = tools;
  const thread = await tools.github.fetchThread(repo.config.fullName, seen.issueNumber);
  const gone = await findDeleted(tools, repo, seen, thread.comments);
  const checkpoint = await findCheckpoint(tools, repo, seen);
  failpoint('poller:remarks-read');
  const opened = state.transaction(() => {
    const run = state.readRun(seen.id);
    if (run === undefined || run.status !== seen.status) return false;
    const abandonment = findAbandonment(thread.issue, repo.config.labels.ignore);
    if (abandonment !== undefined) {
      abandonStart(tools, run, abandonment);
      return false;
    }
    for (const comment of oldestFirst(thread.comments)) takeInIssueRemark(tools, repo, toRemark(comment));
    for (const event of gone)
      state.markEventProcessed(event, tools.now(), 'it was deleted before it was acted on');
    return record(tools, repo, run, { ...thread, checkpoint });
  });
  if (opened) failpoint('poller:turn-opened');
}

/** Not in the complete list, and GitHub says that it is gone. */
async function findDeleted(
  tools: OpenTools,
  repo: Repo,
  { issueNumber }: Run,
  comments: readonly IssueComment[],
): Promise<FeedbackEvent[]> {
  const present = new Set(comments.map(({ id }) => id));
  const missing = listFollowups(tools, repo.id, issueNumber).filter(
    ({ commentId }) => !present.has(commentId),
  );
  const gone: FeedbackEvent[] = [];
  for (const event of missing) {
    const found = await tools.github.fetchIssueComment(repo.config.fullName, event.commentId);
    if (found === null) gone.push(event);
  }
  return gone;
}

/** Where the work goes on: on what we pushed, and on what others added to it. Otherwise it begins anew. */
async function findCheckpoint(tools: OpenTools, repo: Repo, run: Run): Promise<Checkpoint | null> {
  const known = tools.state.readFollowup(repo.id, run.issueNumber)?.context.checkpoint ?? null;
  if (known === null) return null;
  const { fullName } = repo.config;
  const head = await tools.github.fetchBranchHead(fullName, known.branch);
  if (head === null || head === known.sha) return head === null ? null : known;
  const compared = await tools.github.compareCommits(fullName, known.sha, head);
  // A branch that went another way is somebody else's now; one that GitHub cannot compare yet is looked at again.
  if (compared === null) return known;
  return compared.status === 'ahead' ? { ...known, sha: head } : null;
}

type Thread = { issue: Issue; comments: readonly IssueComment[]; checkpoint: Checkpoint | null };

function record(tools: OpenTools, repo: Repo, run: Run, thread: Thread): boolean {
  const { state, now } = tools;
  const events = listFollowups(tools, repo.id, run.issueNumber);
  const followup = state.readFollowup(repo.id, run.issueNumber);
  const turn = buildTurn(tools, run, { events, isFollowup: followup !== undefined });
  const context = buildContext(tools, repo, run, { ...thread, events });
  if (!state.recordTurn(turn, context)) return false;
  const keys = events.map(({ eventKey }) => eventKey);
  state.claimEvents(repo.id, keys, turn.turnKey);
  const { consumedUpTo: runStartCommentId } = context;
  state.saveRun({ ...run, status: 'running', blockedKind: null, error: null, runStartCommentId }, now());
  const { repoId, issueNumber, turnKey } = turn;
  recordEvents(tools, [
    { type: 'turn_opened', repoId, runId: run.id, issueNumber, turnKey, payload: { kind: turn.kind } },
  ]);
  if (followup === undefined) return true;
  const about = { run, repo: repo.config.fullName, events };
  noteFollowup(tools, 'pre_pr_followup_comments_detected', about);
  noteFollowup(tools, 'pre_pr_followup_enqueued', about);
  return true;
}

function buildTurn(
  { state, now }: OpenTools,
  run: Run,
  { events, isFollowup }: { events: readonly FeedbackEvent[]; isFollowup: boolean },
): Turn {
  const kind = startKindOf(run.flow);
  const unfinishedBefore = state.listTurnsOfRun(run.id).filter((turn) => turn.state !== 'done').length;
  const { repoId, issueNumber } = run;
  // Without comments it is an operator's word that tells one turn from another.
  const signal = events.length > 0 ? events.map(({ commentId }) => commentId) : ['again', run.clearedAt];
  const turnKey = computeTurnKey({
    kind,
    repoId,
    number: issueNumber,
    discriminator: [run.flow, run.ordinal, ...(isFollowup ? signal : [])],
    unfinishedBefore,
  });
  return openTurn({ turnKey, repoId, runId: run.id, kind, issueNumber, prNumber: null, openedAt: now() });
}

/** Only what allowed people wrote reaches the agent: no stranger's text, no bot's, no words of our own, no commands. */
function buildContext(
  { keys, state }: OpenTools,
  repo: Repo,
  run: Run,
  { issue, comments, checkpoint, events }: Thread & { events: readonly FeedbackEvent[] },
): StartContext {
  const { fullName, allowedUsers } = repo.config;
  if (run.branch === null) throw new Failure('invalid-data', `run ${run.id} has no branch`);
  const place = { repoId: repo.id, thread: String(issue.number) };
  const counts = (comment: IssueComment): boolean =>
    explainDistrust(comment.author, allowedUsers) === undefined &&
    verifyBody(comment.body, place, keys) === undefined &&
    parseStartCommand(comment.body) === undefined;
  const waited = state.readFollowup(repo.id, run.issueNumber);
  const session = state.readSession(run.id);
  return {
    repo: fullName,
    flow: run.flow,
    branch: run.branch,
    designDocPath: run.designDocPath,
    issue: {
      number: issue.number,
      title: issue.title,
      body: issue.body,
      author: issue.author.login,
      labels: issue.labels,
      url: issue.url,
    },
    comments: comments
      .filter(counts)
      .sort((a, b) => a.id - b.id)
      .map(({ author, ...comment }) => toSaid({ ...comment, author: author.login })),
    consumedUpTo: Math.max(0, ...comments.map(({ id }) => id)),
    followup:
      waited === undefined
        ? null
        : {
            waitKind: waited.context.waitKind,
            reason: waited.waitingReason,
            checkpoint,
            comments: events.map(({ commentId: id, payload }) =>
              toSaid({ ...payload, id, author: payload.author.login }),
            ),
          },
    session: session === undefined ? null : { adapter: session.adapter, threadId: session.threadId },
    stateSummary: session?.stateSummary ?? '',
    design: run.flow === 'implementation' ? describeDesign(state, run) : null,
  };
}

/** What an implementation is told of the design; the document itself is read from the base branch. */
function describeDesign(state: State, run: Run): StartContext['design'] {
  const parent = run.parentRunId === null ? undefined : state.readRun(run.parentRunId);
  return {
    path: run.designDocPath ?? '',
    mergeSha: run.designMergeSha ?? '',
    stateSummary: (parent && state.readLastSession(parent.id)?.stateSummary) ?? null,
    answeredThreads: parent === undefined ? [] : listDecisions(state, parent),
  };
}

type Said = StartContext['comments'][number];

function toSaid({ id, author, body, createdAt, updatedAt, url }: Said): Said {
  return { id, author, body, createdAt, updatedAt, url };
}

/** Recorded once per cap, and told where waiting does not help; the run stays ready and is looked at in every cycle. */
export function park(tools: OpenTools, run: Run, { key, reason, lasting }: Cap): void {
  if (run.blockedKind === key) return;
  const { repoId, id: runId, issueNumber } = run;
  tools.state.transaction(() => {
    tools.state.saveRun({ ...run, blockedKind: key, error: reason }, tools.now());
    const words = renderParkNotice(reason);
    const notice = planNotice({
      kind: 'park_notice',
      repoId,
      runId,
      thread: issueNumber,
      cause: [renderRunName(run), key],
      words,
    });
    if (lasting) tools.state.recordActions([notice], tools.now());
    recordEvents(tools, [{ type: 'run_parked', repoId, runId, issueNumber, payload: { reason } }]);
  });
}
