import { planRedirect } from '@mergexo/core/actions';
import { parseCommand, parseStartCommand } from '@mergexo/core/commands';
import {
  buildEventKey,
  decideRemark,
  type Remark,
  type RemarkDecision,
  type RemarkFacts,
} from '@mergexo/core/feedback';
import { explainDistrust, isLiveRun } from '@mergexo/core/runs';
import type { IssueComment } from '@mergexo/github';
import type { FeedbackEvent, Run } from '@mergexo/state';
import { obeyIssueCommand } from '../commands/obey-issue-command.js';
import { isUnansweredStart } from '../commands/obey-start.js';
import { explainEnded } from '../lifecycle/close-pull.js';
import { noteOutdated } from '../lifecycle/database-age.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { recordSkip } from '../lifecycle/run/take-in-issue.js';
import { CONSUMED, MEANWHILE } from '../lifecycle/skip-reasons.js';
import { isSaidMeanwhile } from '../lifecycle/takeover.js';
import type { Repo } from '../tools.js';
import { findOwnership, isUnknownPost } from './find-ownership.js';
import { noteMismatch, type RemarkTools } from './take-in-remark.js';
import { asNewRemark, oldestFirst, toRemark } from './to-remark.js';

/** What our own comments on GitHub tell about earlier work, for records that were lost. */
export type KnownBefore = {
  consumedUpTo: number;
  said: ReadonlySet<string>;
  /** Commands that the feed brings are obeyed; a list also shows those from before the run. */
  leavesCommand: (remark: Remark) => boolean;
};

const NOTHING: KnownBefore = { consumedUpTo: 0, said: new Set(), leavesCommand: () => false };

/**
 * Records what was said on an issue: as a word on work that has no pull request yet, as one to be redirected to the pull
 * request, as a command, or with the reason why it is none of these. Inside a transaction.
 */
export function takeInIssueRemark(
  tools: RemarkTools,
  repo: Repo,
  read: Remark,
  known: KnownBefore = NOTHING,
): void {
  const { state, now } = tools;
  const isStart = parseStartCommand(read.body) !== undefined;
  const runs = state.listRunsOfIssue(repo.id, read.thread);
  if (runs.length === 0 && !isStart) return;
  const last = state.readLastEventOfComment(repo.id, read);
  const remark = asNewRemark(read, last?.payload);
  if (remark === undefined) return;
  const { ownership, intact } = findOwnership(tools, repo.id, remark);
  const { allowedUsers, operatorLogins } = repo.config;
  const isOurs = ownership !== 'not-ours';
  const decision = decideOnIssue(remark, { ownership, allowedUsers, operatorLogins });
  if (!isOurs && (isStart || decision.kind === 'command') && known.leavesCommand(remark)) return;
  const skipReason =
    isStart && !isOurs
      ? (explainDistrust(remark.author, allowedUsers) ?? explainOldCommand(remark, known))
      : decision.kind === 'skip'
        ? decision.reason
        : decision.kind === 'command' && !decision.isFeedback
          ? 'it is a command'
          : explainSilence(tools, repo, { remark, runs, known });
  const event = { repoId: repo.id, issueNumber: remark.thread, remark, skipReason };
  if (!state.recordFeedbackEvent(event, now())) return;
  if (ownership === 'ours' && !intact) {
    const [run] = runs;
    const about = { repoId: repo.id, runId: run?.id ?? null, prNumber: run?.prNumber ?? null };
    noteMismatch(tools, { ...about, issueNumber: remark.thread }, remark, 'edited');
  }
  if (ownership === 'ours' && isUnknownPost(tools, repo.id, remark)) noteOutdated(tools, repo.id);
  if (isOurs) return;
  if (last !== undefined && isWaiting(last))
    state.markEventProcessed(last, now(), 'it was edited before it was acted on');
  if (isStart) {
    if (skipReason !== null)
      recordSkip(tools, repo, remark.thread, `the command does not count: ${skipReason}`);
    return;
  }
  if (decision.kind === 'command') obeyIssueCommand(tools, repo, { ...decision, remark, said: known.said });
  note(tools, repo, { remark, skipReason, run: runs[0] });
}

function explainOldCommand({ commentId }: Remark, { consumedUpTo }: KnownBefore): string | null {
  return commentId <= consumedUpTo ? 'it was obeyed before' : null;
}

/** Everything in a complete list of an issue, except the commands to leave. Inside a transaction. */
export function takeInThread(
  tools: RemarkTools,
  repo: Repo,
  comments: readonly IssueComment[],
  leavesCommand: KnownBefore['leavesCommand'] = () => true,
): void {
  for (const comment of oldestFirst(comments))
    takeInIssueRemark(tools, repo, toRemark(comment), { ...NOTHING, leavesCommand });
}

/** Without a pull request there is nothing to update: the wish is answered, and resumes nothing. */
function decideOnIssue(remark: Remark, facts: RemarkFacts): RemarkDecision {
  const decision = decideRemark(remark, facts);
  const parsed = parseCommand(remark.body);
  if (decision.kind !== 'event' || parsed?.command.kind !== 'update') return decision;
  return { kind: 'command', command: parsed.command, isOperator: true, isFeedback: parsed.rest !== '' };
}

function isWaiting({ processedAt, turnKey }: FeedbackEvent): boolean {
  return processedAt === null && turnKey === null;
}

/** Why a word of somebody who counts is not acted on; null when it is. */
function explainSilence(
  { state }: RemarkTools,
  repo: Repo,
  { remark, runs, known }: { remark: Remark; runs: readonly Run[]; known: KnownBefore },
): string | null {
  const run = runs.find(isLiveRun);
  if (run === undefined) return explainEnded(runs[0]);
  if (remark.commentId <= known.consumedUpTo) return CONSUMED;
  const { repoId, id: runId, issueNumber } = run;
  const redirect = planRedirect({ repoId, runId, issueNumber, commentId: remark.commentId, words: '' });
  if (known.said.has(redirect.id)) return 'it was redirected before';
  const pull = run.prNumber === null ? undefined : state.readPull(repo.id, run.prNumber);
  const isMeanwhile =
    pull === undefined
      ? run.ignoredSince !== null && remark.updatedAt > run.ignoredSince
      : isSaidMeanwhile(pull, remark);
  return isMeanwhile ? MEANWHILE : null;
}

function note(
  tools: RemarkTools,
  repo: Repo,
  { remark, skipReason, run }: { remark: Remark; skipReason: string | null; run: Run | undefined },
): void {
  if (run === undefined || remark.body.trim() === '') return;
  const about = {
    repoId: repo.id,
    runId: run.id,
    issueNumber: remark.thread,
    eventKey: buildEventKey(remark),
  };
  const facts = { kind: remark.kind, author: remark.author.login };
  recordEvents(tools, [
    skipReason === null
      ? { type: 'feedback_received', ...about, payload: { ...facts, url: remark.url } }
      : { type: 'feedback_skipped', ...about, payload: { ...facts, reason: skipReason } },
  ]);
}

/** Comments on an issue that nobody has acted on, oldest first, without start commands that still wait for their reply. */
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
