import { readRemarkTime } from '@mergexo/core/feedback';
import { renderSkipReason } from '@mergexo/core/reasons';
import { removeResult } from '@mergexo/core/review';
import { TURN_STATE_NAMES, type Turn } from '@mergexo/core/turns';
import { type CommentStatus, type FeedbackEvent, readCommentStatus, type Snapshot } from '@mergexo/state';
import { findRepository } from './read-blocked.js';
import { nameOf } from './read-fleet.js';

export type IssueDetails = NonNullable<ReturnType<typeof readIssue>>;

const SHOWN_EVENTS = 500;
const SIGNATURE_LINE = /^<!-- mergexo-(?:meta|action):.*-->$/;

/**
 * Reads the history of an issue by its number or the number of its pull request. Returns undefined if nothing is known.
 */
export function readIssue(facts: Snapshot, name: string, asked: number) {
  const { state } = facts;
  const repository = findRepository(facts, name);
  if (repository === undefined) return undefined;
  const issue = state.readPull(repository.id, asked)?.issueNumber ?? asked;
  const runs = state.listRunsOfIssue(repository.id, issue);
  const events = state.listEventsOfIssue(repository.id, issue);
  const threads = [...new Set([issue, ...runs.flatMap(({ prNumber }) => prNumber ?? [])])];
  const comments = threads.flatMap((thread) => state.listEventsOfThread(repository.id, thread));
  if (runs.length + events.length + comments.length === 0) return undefined;
  return {
    repo: nameOf(repository),
    issue,
    title: runs[0]?.issueTitle ?? '',
    runs: runs.map(({ flow, ordinal, status, error, branch, prNumber: pr, repoId }) => ({
      flow,
      ordinal,
      status,
      error,
      branch,
      pr,
      url: pr === null ? null : (state.readPull(repoId, pr)?.url ?? null),
    })),
    reviews: runs.flatMap(({ prNumber: pr, repoId }) => (pr === null ? [] : readReviews(facts, repoId, pr))),
    comments: comments.map((event) => describeComment(facts, event)),
    earlier: Math.max(0, events.length - SHOWN_EVENTS),
    events: events.slice(-SHOWN_EVENTS).map(({ createdAt, type, prNumber: pr, payload, turnKey }) => ({
      createdAt,
      type,
      pr,
      payload,
      turnKey,
    })),
  };
}

/** Reads the AI review rounds of a pull request, each with its findings and their status. */
function readReviews({ state }: Snapshot, repoId: number, pr: number) {
  const findings = state.listReviewFindings(repoId, pr);
  return state
    .listReviewRounds(repoId, pr)
    .map(({ id, number, headSha, verdict, state: round, summary, createdAt, turnKey }) => ({
      pr,
      number,
      headSha,
      verdict,
      state: round,
      summary:
        summary ??
        (round === 'failed' && turnKey !== null ? (state.readTurn(turnKey)?.reason ?? null) : null),
      at: createdAt,
      findings: findings
        .filter(({ roundId }) => roundId === id)
        .map(({ severity, category, path, line, body, status, note }) => ({
          severity,
          category,
          place: line === null ? path : `${path}:${line}`,
          body,
          status,
          note,
        })),
    }));
}

function describeComment({ state }: Snapshot, event: FeedbackEvent) {
  const { prNumber: thread, kind, payload, seenAt } = event;
  const { author, url } = payload;
  const isOurs = event.skipReason?.code === 'ours';
  const body = isOurs ? removeResult(removeSignature(payload.body)) : payload.body;
  const saidAt = readRemarkTime(payload) ?? seenAt;
  const status = isOurs ? 'by MergeXO' : describeCommentStatus(readCommentStatus(state, event));
  return { thread, kind, author: author.login, saidAt, url, body, isOurs, status };
}

/** Removes the signature lines of our own comments, which GitHub does not display either. */
export function removeSignature(body: string): string {
  const lines = body.trimEnd().split('\n');
  while (SIGNATURE_LINE.test(lines.at(-1)?.trim() ?? '')) lines.pop();
  return lines.join('\n').trimEnd();
}

/** Describes the state of a turn. An open or queued turn is not in progress yet. */
function describeProgress(state: Turn['state'] | null): string {
  if (state === null) return 'in progress';
  const name = TURN_STATE_NAMES[state];
  return state === 'open' || state === 'queued' ? name : `in progress (${name})`;
}

function describeCommentStatus(status: CommentStatus): string {
  switch (status.kind) {
    case 'pending':
    case 'answered':
      return status.kind;
    case 'in_progress':
      return describeProgress(status.turnState);
    case 'redirected':
      return 'redirected to the pull request';
    case 'skipped':
      return `skipped: ${renderSkipReason(status.reason)}`;
  }
}
