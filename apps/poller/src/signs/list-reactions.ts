import { parseStartCommand } from '@mergexo/core/commands';
import { isLiveRun, RUN_STATUSES } from '@mergexo/core/runs';
import {
  decideCommentReaction,
  decideIssueReaction,
  NO_REACTION,
  type ReactionSubjectKind,
  type WantedReaction,
} from '@mergexo/core/signs';
import type { Run, State, StoredReaction } from '@mergexo/state';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import { isIgnored } from '../lifecycle/takeover.js';
import type { Repo } from '../tools.js';

export const LIVE = RUN_STATUSES.filter((status) => isLiveRun({ status }));

/** `isFinal`: only a new version of the comment, or a new run, changes the wanted reaction. */
export type WantedSign = { row: StoredReaction; wanted: WantedReaction; isFinal: boolean };

type Subject = Pick<StoredReaction, 'kind' | 'subjectId' | 'thread'>;

/** Lists the reactions that may have to change. Reads only the database. */
export function listReactions(state: State, repo: Repo): WantedSign[] {
  const open: Subject[] = state.listOpenReactions(repo.id);
  const issues = state
    .listRuns(repo.id, LIVE)
    .map(({ issueNumber }): Subject => ({ kind: 'issue', subjectId: issueNumber, thread: issueNumber }));
  const comments = state.listPendingEvents(repo.id).flatMap(({ kind, commentId, payload }): Subject[] => {
    const subjectKind = SUBJECTS[kind];
    return subjectKind === null ? [] : [{ kind: subjectKind, subjectId: commentId, thread: payload.thread }];
  });
  const subjects = new Map(
    [...open, ...issues, ...comments].map((one) => [`${one.kind}/${one.subjectId}`, one]),
  );
  return [...subjects.values()].flatMap(({ kind, subjectId, thread }) => {
    const row = state.readReaction({ repoId: repo.id, kind, subjectId }) ?? {
      ...NO_REACTION,
      repoId: repo.id,
      kind,
      subjectId,
      thread,
      refused: false,
      open: true,
    };
    if (row.refused) return [];
    return [{ row, ...(kind === 'issue' ? decideOnIssue(state, row) : decideOnComment(state, repo, row)) }];
  });
}

/** The REST API does not support reactions on reviews, so MergeXO reacts to the review's line comments. */
const SUBJECTS = {
  issue: 'comment',
  review: 'review',
  review_summary: null,
  ci: null,
} as const satisfies Record<string, ReactionSubjectKind | null>;

type Decided = Pick<WantedSign, 'wanted' | 'isFinal'>;

/** Returns the run that the work on the issue belongs to: the live run, or the newest. */
export function findRun(state: State, repoId: number, issueNumber: number): Run | undefined {
  const runs = state.listRunsOfIssue(repoId, issueNumber);
  return runs.find(isLiveRun) ?? runs[0];
}

/** True if a person has taken over the issue or the run's pull request. */
export function isTakenOver(state: State, run: Run): boolean {
  const pull = readPullOf(state, run);
  return run.ignoredSince !== null || (pull !== undefined && isIgnored(pull));
}

function decideOnIssue(state: State, { repoId, thread }: StoredReaction): Decided {
  const run = findRun(state, repoId, thread);
  if (run === undefined) return { wanted: 'keep', isFinal: true };
  const { status, prNumber } = run;
  const facts = { status, hasPull: prNumber !== null, isTakenOver: isTakenOver(state, run) };
  return { wanted: decideIssueReaction(facts), isFinal: !isLiveRun(run) };
}

function decideOnComment(state: State, repo: Repo, row: StoredReaction): Decided {
  const { kind, subjectId: commentId, thread } = row;
  const about = { thread, kind: kind === 'review' ? ('review' as const) : ('issue' as const), commentId };
  const event = state.readLastEventOfComment(repo.id, about);
  if (event === undefined) return { wanted: 'keep', isFinal: true };
  const pull = state.readPull(repo.id, thread);
  const run = pull === undefined ? findRun(state, repo.id, thread) : undefined;
  const isStart = parseStartCommand(event.payload.body) !== undefined;
  const isUnclaimed = event.turnKey === null && !isStart;
  const isProcessed = event.processedAt !== null;
  // Without the feedback loop, MergeXO records comments but does not pick them up.
  if (!isProcessed && pull !== undefined && !repo.config.enableFeedbackLoop)
    return { wanted: 'keep', isFinal: false };
  const wanted = decideCommentReaction({
    isSkipped: event.skipReason !== null,
    isProcessed,
    isAnswered: !isUnclaimed,
    isRedirected: run !== undefined && run.prNumber !== null && isUnclaimed,
    isBlocked: (pull ?? run)?.status === 'blocked',
    isTakenOver: pull === undefined ? run !== undefined && run.ignoredSince !== null : isIgnored(pull),
  });
  return { wanted, isFinal: isProcessed };
}
