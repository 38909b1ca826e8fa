import { computeRedirectId } from '@mergexo/core/actions';
import { type Command, parseCommand } from '@mergexo/core/commands';
import { decideRemark, type Remark, type RemarkDecision, type RemarkFacts } from '@mergexo/core/feedback';
import { renderSkipReason, type SkipReason } from '@mergexo/core/reasons';
import { findDistrust, isLiveRun } from '@mergexo/core/runs';
import type { IssueComment } from '@mergexo/github';
import type { FeedbackEvent, Run } from '@mergexo/state';
import { runIssueCommand } from '../commands/run-issue-command.js';
import { isUnansweredStart } from '../commands/run-start-command.js';
import { explainEnded } from '../lifecycle/close-pull.js';
import { noteOutdated } from '../lifecycle/database-age.js';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import { recordSkip } from '../lifecycle/run/record-issue.js';
import { isSaidMeanwhile } from '../lifecycle/takeover.js';
import type { Repo } from '../tools.js';
import { findOwnership, isUnknownPost } from './find-ownership.js';
import { noteMismatch, noteRemark, type RemarkTools } from './record-remark.js';
import { asNewRemark, isEdited, oldestFirst, toRemark } from './to-remark.js';

/** Earlier work that our own comments on GitHub prove. Used after a database loss. */
export type KnownBefore = {
  consumedUpTo: number;
  said: ReadonlySet<string>;
  /** True for a command to skip: a full list also has commands that the feed handles or that predate the run. */
  leavesCommand: (remark: Remark) => boolean;
};

const NOTHING: KnownBefore = { consumedUpTo: 0, said: new Set(), leavesCommand: () => false };

/**
 * Records a comment on an issue as feedback on work without a pull request, as a comment to redirect to the pull
 * request, as a command, or with the reason for skipping it. Requires a transaction.
 */
export function recordIssueRemark(
  tools: RemarkTools,
  repo: Repo,
  { remark: read, known = NOTHING }: { remark: Remark; known?: KnownBefore },
): void {
  const { state, now } = tools;
  const last = state.readLastEventOfComment(repo.id, read);
  const remark = asNewRemark(read, last?.payload);
  // Checked before parsing, because the feed repeats recent comments in every cycle.
  if (remark === undefined) return;
  const command = findCommand(remark, repo);
  const isStart = command?.kind === 'start';
  const runs = state.listRunsOfIssue(repo.id, read.thread);
  if (runs.length === 0 && !isStart) {
    if (command !== undefined && last === undefined) noteEarlyCommand(tools, repo, remark);
    return;
  }
  const { ownership, intact, isStatus } = findOwnership(tools, repo.id, remark);
  // MergeXO's own edits of the status comment are no news.
  if (isStatus && ownership === 'ours' && intact && last?.skipReason?.code === 'ours') return;
  const { allowedUsers, operatorLogins } = repo.config;
  const isOurs = ownership !== 'not-ours';
  const decision = decideOnIssue(remark, { ownership, allowedUsers, operatorLogins });
  if (!isOurs && (isStart || decision.kind === 'command') && known.leavesCommand(remark)) return;
  const skipReason: SkipReason | null =
    isStart && !isOurs
      ? (findDistrust(remark.author, allowedUsers) ?? explainOldCommand(remark, known))
      : decision.kind === 'skip'
        ? decision.reason
        : decision.kind === 'command' && !decision.isFeedback
          ? { code: 'command' }
          : explainSilence(tools, { remark, runs, known });
  const event = { repoId: repo.id, issueNumber: remark.thread, remark, skipReason };
  if (!state.recordFeedbackEvent(event, now())) return;
  if (ownership === 'ours') noteOwn(tools, repo, { remark, run: runs[0], intact, isStatus });
  if (isOurs) return;
  if (last !== undefined && isWaiting(last)) state.markEventProcessed(last, now(), { code: 'edited' });
  if (isStart) {
    if (skipReason !== null)
      recordSkip(tools, repo, {
        issueNumber: remark.thread,
        reason: `the command does not count: ${renderSkipReason(skipReason)}`,
      });
    return;
  }
  const given = { remark, isEdited: isEdited(remark, last), said: known.said };
  if (decision.kind === 'command') runIssueCommand(tools, repo, { ...decision, ...given });
  const [newest] = runs;
  if (newest === undefined || remark.body.trim() === '') return;
  const about = { repoId: repo.id, runId: newest.id, issueNumber: remark.thread };
  noteRemark(tools, about, { remark, skipReason });
}

/** Maximum length of a stranger's comment in which MergeXO looks for a command. Parsing 64 KB can take 0.25 s. */
const MAX_STRANGERS_COMMAND = 4_000;

function findCommand({ author, body }: Remark, { config }: Repo): Command | undefined {
  const isStranger = findDistrust(author, [...config.allowedUsers, ...config.operatorLogins]) !== undefined;
  return isStranger && body.length > MAX_STRANGERS_COMMAND ? undefined : parseCommand(body)?.command;
}

/** Notices that somebody edited MergeXO's comment, or that the comment is missing from an outdated database. */
function noteOwn(
  tools: RemarkTools,
  repo: Repo,
  {
    remark,
    run,
    intact,
    isStatus,
  }: { remark: Remark; run: Run | undefined; intact: boolean; isStatus: boolean },
): void {
  const { state } = tools;
  if (!intact) {
    const about = { repoId: repo.id, runId: run?.id ?? null, prNumber: run?.prNumber ?? null };
    noteMismatch(tools, { ...about, issueNumber: remark.thread }, { ...remark, what: 'edited' });
  }
  if (!isStatus) {
    if (isUnknownPost(tools, repo.id, remark)) noteOutdated(tools, repo.id);
    return;
  }
  const row = state.readStatusComment(repo.id, remark.thread);
  if (!intact && row !== undefined) state.saveStatusComment({ ...row, state: 'edited', open: false });
}

/**
 * Records a command on an issue without a run, so that MergeXO does not run the command if the feed repeats it after a
 * run has started.
 */
function noteEarlyCommand({ state, now }: RemarkTools, repo: Repo, remark: Remark): void {
  const skipReason = { code: 'command' } as const;
  state.recordFeedbackEvent({ repoId: repo.id, issueNumber: remark.thread, remark, skipReason }, now());
}

function explainOldCommand({ commentId }: Remark, { consumedUpTo }: KnownBefore): SkipReason | null {
  return commentId <= consumedUpTo ? { code: 'obeyed' } : null;
}

/** Records the comments of a complete list, except for the commands to skip. Requires a transaction. */
export function recordThread(
  tools: RemarkTools,
  repo: Repo,
  {
    comments,
    leavesCommand = () => true,
  }: { comments: readonly IssueComment[]; leavesCommand?: KnownBefore['leavesCommand'] },
): void {
  for (const comment of oldestFirst(comments))
    recordIssueRemark(tools, repo, { remark: toRemark(comment), known: { ...NOTHING, leavesCommand } });
}

/** Treats `update` on an issue as a command that only gets a reply, because an issue has nothing to update. */
function decideOnIssue(remark: Remark, facts: RemarkFacts): RemarkDecision {
  const decision = decideRemark(remark, facts);
  // Only comments by allowed people are parsed: parsing a stranger's 64 KB would delay every other repository.
  const parsed = decision.kind === 'event' ? parseCommand(remark.body) : undefined;
  if (parsed?.command.kind !== 'update') return decision;
  return { kind: 'command', command: parsed.command, isOperator: true, isFeedback: parsed.rest !== '' };
}

function isWaiting({ processedAt, turnKey }: FeedbackEvent): boolean {
  return processedAt === null && turnKey === null;
}

/** Returns why MergeXO skips a comment by an allowed person; null if MergeXO does not skip it. */
function explainSilence(
  { state }: RemarkTools,
  { remark, runs, known }: { remark: Remark; runs: readonly Run[]; known: KnownBefore },
): SkipReason | null {
  const run = runs.find(isLiveRun);
  if (run === undefined) return explainEnded(runs[0]);
  if (remark.commentId <= known.consumedUpTo) return { code: 'consumed' };
  const { repoId, issueNumber } = run;
  const redirectId = computeRedirectId({ repoId, issueNumber, commentId: remark.commentId });
  if (known.said.has(redirectId)) return { code: 'redirected' };
  const pull = readPullOf(state, run);
  const isMeanwhile =
    pull === undefined
      ? run.ignoredSince !== null && remark.updatedAt > run.ignoredSince
      : isSaidMeanwhile(pull, remark);
  return isMeanwhile ? { code: 'taken_over' } : null;
}

/** Returns pending comments on an issue, oldest first, without unanswered start commands. */
export function listFollowups(
  { state }: Pick<RemarkTools, 'state'>,
  repoId: number,
  issueNumber: number,
): FeedbackEvent[] {
  return state
    .listUnclaimedEvents(repoId, issueNumber)
    .filter((event) => !isUnansweredStart(state, event))
    .sort((a, b) => a.commentId - b.commentId);
}
