import { OURS, readRemarkTime } from '@mergexo/core/feedback';
import type { FeedbackEvent } from '@mergexo/state';
import { findRepository } from './read-blocked.js';
import type { Facts } from './read-facts.js';
import { nameOf } from './read-fleet.js';

export type IssueStory = NonNullable<ReturnType<typeof readIssue>>;

const SHOWN_EVENTS = 500;
/** What proves a comment to be ours; GitHub hides it as well. */
const CLOSING_LINES = /(\s*<!-- mergexo-(meta|action):[^\n]*-->)+\s*$/;

/** What happened to an issue; undefined when nothing is known. The number of one of our pull requests will do, too. */
export function readIssue(facts: Facts, name: string, asked: number) {
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
    events: events
      .slice(-SHOWN_EVENTS)
      .map(({ createdAt, type, prNumber: pr, payload }) => ({ createdAt, type, pr, payload })),
  };
}

/** The rounds of the AI review of a pull request, with what each raised and what became of it. */
function readReviews({ state }: Facts, repoId: number, pr: number) {
  const findings = state.listReviewFindings(repoId, pr);
  return state
    .listReviewRounds(repoId, pr)
    .map(({ id, number, headSha, verdict, state: round, summary, createdAt }) => ({
      pr,
      number,
      headSha,
      verdict,
      state: round,
      summary,
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

function describeComment({ state }: Facts, event: FeedbackEvent) {
  const { prNumber: thread, kind, payload, seenAt } = event;
  const { author, url } = payload;
  const isOurs = event.skipReason === OURS;
  const body = isOurs ? payload.body.replace(CLOSING_LINES, '') : payload.body;
  const saidAt = readRemarkTime(payload) ?? seenAt;
  const fate = isOurs ? 'our own' : describeFate(state, event);
  return { thread, kind, author: author.login, saidAt, url, body, isOurs, fate };
}

function describeFate(state: Facts['state'], { processedAt, skipReason, turnKey }: FeedbackEvent): string {
  if (processedAt !== null) return skipReason === null ? 'answered' : `skipped: ${skipReason}`;
  if (turnKey === null) return 'pending';
  const turn = state.readTurn(turnKey);
  return turn === undefined ? 'in work' : `in work: its turn is ${turn.state}`;
}
