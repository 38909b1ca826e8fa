import { type CheckRun, hasFailed } from '@mergexo/core/ci';
import { isLiveRun } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import { listReceipts, listWork, type Repository, type Run, type Snapshot, type Work } from '@mergexo/state';
import { type Attention, describeAttention } from '../home/describe-attention.js';
import { readWait } from '../home/read-home.js';
import { readLatestLine } from '../home/read-latest-line.js';
import { nameOf } from '../name-of.js';
import { findRepository } from '../read-blocked.js';
import { type PauseNote, readPauseNotes } from '../read-chrome.js';
import { canSkipReview } from './can-skip-review.js';
import { describeComment } from './describe-comment.js';
import { readReviews } from './read-reviews.js';
import { readTurnCard } from './read-turn-cards.js';

export type IssueDetails = NonNullable<ReturnType<typeof readIssue>>;

/** Cards, events and other comments that the page shows. `?all=1` shows the rest, up to a limit that keeps the page usable. */
const SHOWN = { turns: 20, events: 200, comments: 100 };
const SHOWN_OF_ALL = { turns: 500, events: 2_000, comments: 500 };

/**
 * Reads the history of an issue by its number or the number of its pull request. Returns undefined if nothing is known.
 */
export function readIssue(
  facts: Snapshot,
  name: string,
  about: { asked: number; all: boolean; now: number },
) {
  const { state } = facts;
  const { asked, all, now } = about;
  const shown = all ? SHOWN_OF_ALL : SHOWN;
  const repository = findRepository(facts, name);
  if (repository === undefined) return undefined;
  const repoId = repository.id;
  const issue = state.readPull(repoId, asked)?.issueNumber ?? asked;
  const runs = state.listRunsOfIssue(repoId, issue);
  const events = state.listEventsOfIssue(repoId, issue);
  const pulls = [...new Set(runs.flatMap(({ prNumber }) => prNumber ?? []))];
  // MergeXO edits its status comment, and its first text says nothing about the present.
  const statusId = state.readStatusComment(repoId, issue)?.remoteId;
  const comments = [issue, ...pulls]
    .flatMap((thread) => state.listEventsOfThread(repoId, thread))
    .filter(({ kind, commentId }) => kind !== 'issue' || commentId !== statusId);
  if (runs.length + events.length + comments.length === 0) return undefined;
  const rounds = pulls.flatMap((pr) => readReviews(facts, repoId, pr));
  const turns = runs.flatMap((run) => state.listTurnsOfRun(run.id)).toSorted(newestFirst);
  const cards = turns.slice(0, shown.turns);
  const receipts = listReceipts(facts, { repoId, issueNumber: issue });
  const carded = new Set(cards.map(({ turnKey }) => turnKey));
  const others = events.filter(({ turnKey }) => turnKey === null);
  const uncarded = comments.filter(({ turnKey }) => turnKey === null || !carded.has(turnKey));
  return {
    repo: nameOf(repository),
    issue,
    title: runs[0]?.issueTitle ?? '',
    now: readNow(facts, { repository, issue, now }),
    runs: runs.map((run) => describeRun(facts, run)),
    turns: cards.map((turn) => readTurnCard(facts, turn, { comments, rounds, receipts })),
    earlierTurns: turns.length - cards.length,
    /** Comments that no shown turn answers, newest first. */
    comments: uncarded
      .slice(-shown.comments)
      .map((event) => describeComment(facts, event))
      .toReversed(),
    earlierComments: Math.max(0, uncarded.length - shown.comments),
    /** Reviews whose turn is not shown. */
    rounds: rounds.filter(({ turnKey }) => turnKey === null || !carded.has(turnKey)),
    earlier: Math.max(0, others.length - shown.events),
    events: others
      .slice(-shown.events)
      .map(({ createdAt, type, prNumber: pr, payload }) => ({ createdAt, type, pr, payload })),
  };
}

const newestFirst = (one: Turn, other: Turn): number =>
  other.openedAt - one.openedAt || (one.turnKey < other.turnKey ? 1 : -1);

export type IssueNow = {
  work: Work | undefined;
  attention: Attention | undefined;
  wait: ReturnType<typeof readWait> | undefined;
  line: { at: number; text: string } | undefined;
  pause: PauseNote | undefined;
  canSkipReview: boolean;
};

type Place = { repository: Repository; issue: number; now: number };

/** Reads where the issue stands now. */
function readNow(facts: Snapshot, { repository, issue, now }: Place): IssueNow {
  const page = { order: 'updated', descending: true, limit: 1, offset: 0 } as const;
  const [work] = listWork(facts, { repoId: repository.id, issue }, page);
  const isAttention = work && ['blocked', 'question', 'review'].includes(work.stage);
  const repo = nameOf(repository);
  return {
    work,
    attention: isAttention ? describeAttention(facts, work) : undefined,
    wait: work?.stage === 'queued' ? readWait(facts, work, now) : undefined,
    line: work?.turnState === 'running' && work.turnKey ? readLatestLine(facts, work.turnKey) : undefined,
    pause: readPauseNotes(facts).find((pause) => pause.repo === repo && pause.issue === issue),
    canSkipReview: canSkipReview(facts, repository.id, issue),
  };
}

function describeRun({ state }: Snapshot, run: Run) {
  const { flow, ordinal, status, error, branch, prNumber: pr, repoId, createdAt } = run;
  const pull = pr === null ? undefined : state.readPull(repoId, pr);
  return {
    ...{ flow, ordinal, status, error, branch, pr, createdAt },
    use: state.readUseOfRun(run.id),
    isLive: isLiveRun(run),
    url: pull?.url ?? null,
    checks: pull === undefined ? null : summarizeChecks(pull.checks ?? [], pull.headSha),
  };
}

/** Summarizes the checks of the head commit; null if none is known. */
function summarizeChecks(checks: readonly CheckRun[], headSha: string | null): string | null {
  const current = checks.filter((check) => check.headSha === headSha);
  if (current.length === 0) return null;
  const failed = current.filter(hasFailed).map(({ name }) => name);
  if (failed.length > 0) return `failed: ${failed.join(', ')}`;
  const pending = current.filter(({ isDone }) => !isDone).length;
  return pending > 0 ? `${pending} of ${current.length} running` : `${current.length} passed`;
}
