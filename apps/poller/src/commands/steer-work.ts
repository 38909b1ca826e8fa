import type { LedgerAnswer, LedgerMessage, SteerOrder } from '@mergexo/core/ledger';
import { ALL } from '@mergexo/core/runs';
import { isLive, type Turn } from '@mergexo/core/turns';
import type { Repository } from '@mergexo/state';
import { cancelTurn, isCancellable, type PauseRequest, pauseWork, resumeWork } from '../lifecycle/pause.js';
import { readPullOf } from '../lifecycle/read-pull-of.js';
import { skipReview } from '../lifecycle/review/human-review.js';
import type { Records } from '../tools.js';
import { answerOnce, refuse } from './answer-once.js';
import { isNamed, nameOf } from './repository-name.js';

export type SteerRequest = Extract<LedgerMessage, { kind: 'steer' }>;
export type SteerAnswer = Extract<LedgerAnswer, { kind: 'steered' | 'refused' }>;

/** An issue or a whole repository; null means every repository. */
type Target = { repository: Repository | null; issueNumber: number | null };

/** Pauses, resumes or cancels work at an operator's request. */
export function steerWork(tools: Records, request: SteerRequest): SteerAnswer {
  return answerOnce(tools, { request, kind: 'steered' }, () => {
    const target = findTarget(tools, request);
    if ('kind' in target) return target;
    const { repository, issueNumber } = target;
    const done = steer(tools, target, { ...request, cause: [request.requestId] });
    if ('kind' in done) return done;
    return { kind: 'steered', ...done, repo: repository && nameOf(repository), issueNumber };
  });
}

function findTarget(
  { state }: Records,
  { repo, number }: SteerRequest,
): Target | Extract<SteerAnswer, { kind: 'refused' }> {
  const known = state.listRepositories();
  const [only, ...others] = known;
  const repository = repo === null ? null : known.find((one) => isNamed(one, repo));
  const names = known.map(nameOf).join(', ') || 'none yet';
  if (repository === undefined) return refuse(`The poller does not know ${repo} (known: ${names}).`);
  if (number === null) return { repository, issueNumber: null };
  const place = repository ?? (others.length === 0 ? only : undefined);
  if (place === undefined)
    return refuse(`MergeXO works on several repositories: ${names}. Name the repository of #${number}.`);
  return { repository: place, issueNumber: state.readPull(place.id, number)?.issueNumber ?? number };
}

type Done = Pick<Extract<SteerAnswer, { kind: 'steered' }>, 'changed' | 'turn'>;

type Wish = {
  order: SteerOrder;
  by: string;
  reason: string | null;
  /** Identifies the request or the comment that contains the order. */
  cause: readonly (string | number)[];
};
type Scope = PauseRequest & Pick<Wish, 'cause'>;
type Refusal = Extract<SteerAnswer, { kind: 'refused' }>;

/** Carries out an order on an issue, a repository or all work. Requires a transaction. */
export function steer(
  tools: Records,
  { repository, issueNumber }: Target,
  { order, ...wish }: Wish,
): Done | Refusal {
  const scope = { repoId: repository?.id ?? ALL, issueNumber: issueNumber ?? ALL, ...wish };
  const turn = findTurn(tools, scope);
  switch (order) {
    case 'pause':
      return { changed: pauseWork(tools, scope), turn: describe(turn) };
    case 'resume':
      return { changed: resumeWork(tools, scope), turn: describe(turn) };
    case 'cancel':
      return cancel(tools, scope, turn);
    case 'skip-review':
      return skip(tools, scope, turn);
  }
}

function cancel(tools: Records, scope: Scope, turn: Turn | undefined): Done | Refusal {
  const { issueNumber, by, reason } = scope;
  if (issueNumber === ALL) return refuse('Name the issue or pull request whose turn to cancel.');
  if (turn === undefined)
    return refuse(`There is nothing to cancel: no turn is live on #${issueNumber}. Nothing was changed.`);
  if (!isCancellable(turn))
    return refuse(
      `The agent has finished, and MergeXO is posting its result on #${issueNumber}. Nothing was changed.`,
    );
  cancelTurn(tools, turn, `an operator canceled the turn (${by})${addReason(reason)}`);
  // Without the pause, the next cycle would open the same turn again.
  pauseWork(tools, scope);
  return { changed: true, turn: { kind: turn.kind, end: 'cancelled' } };
}

/** Skips the review of the pull request's head, and cancels a review or a fix of it. */
function skip(tools: Records, scope: Scope, turn: Turn | undefined): Done | Refusal {
  const { repoId, issueNumber, by, reason, cause } = scope;
  if (issueNumber === ALL) return refuse('Name the pull request whose AI review to skip.');
  const pull = tools.state
    .listRunsOfIssue(repoId, issueNumber)
    .flatMap(({ prNumber }) => readPullOf(tools.state, { repoId, prNumber }) ?? [])
    .find(({ status }) => status === 'awaiting_feedback');
  const headSha = pull?.headSha ?? null;
  if (pull === undefined || headSha === null)
    return refuse(`#${issueNumber} has no open pull request that an AI could review. Nothing was changed.`);
  const review = turn?.kind === 'review' || turn?.kind === 'review_fix' ? turn : undefined;
  if (review !== undefined && !isCancellable(review))
    return refuse(`MergeXO is posting the result of a review on #${pull.prNumber}. Nothing was changed.`);
  const changed = skipReview(tools, { pull, headSha }, { by, reason, cause });
  if (!changed || review === undefined) return { changed, turn: null };
  cancelTurn(tools, review, `an operator skipped the AI review (${by})${addReason(reason)}`);
  return { changed, turn: { kind: review.kind, end: 'cancelled' } };
}

const addReason = (reason: string | null): string => (reason === null ? '' : `: ${reason}`);

function findTurn(
  { state }: Records,
  { repoId, issueNumber }: { repoId: number; issueNumber: number },
): Turn | undefined {
  if (issueNumber === ALL) return undefined;
  return state
    .listRunsOfIssue(repoId, issueNumber)
    .map(({ id }) => state.readLiveTurnOfRun(id))
    .find((turn) => turn !== undefined && isLive(turn));
}

function describe(turn: Turn | undefined): Done['turn'] {
  return turn?.workerId ? { kind: turn.kind, end: 'running' } : null;
}
