import type { LedgerAnswer, LedgerMessage, SteerOrder } from '@mergexo/core/ledger';
import { ALL } from '@mergexo/core/runs';
import { isLive, type Turn } from '@mergexo/core/turns';
import type { Repository } from '@mergexo/state';
import { cancelTurn, isCancellable, pauseWork, resumeWork } from '../lifecycle/pause.js';
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
    const done = steer(tools, target, request);
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

/** Carries out an order on an issue, a repository or all work. Requires a transaction. */
export function steer(
  tools: Records,
  { repository, issueNumber }: Target,
  { order, by, reason }: { order: SteerOrder; by: string; reason: string | null },
): Done | Extract<SteerAnswer, { kind: 'refused' }> {
  const scope = { repoId: repository?.id ?? ALL, issueNumber: issueNumber ?? ALL, by, reason };
  const turn = findTurn(tools, scope);
  if (order === 'resume') return { changed: resumeWork(tools, scope), turn: describe(turn) };
  if (order === 'pause') return { changed: pauseWork(tools, scope), turn: describe(turn) };
  if (scope.issueNumber === ALL) return refuse('Name the issue or pull request whose turn to cancel.');
  if (turn === undefined)
    return refuse(`There is nothing to cancel: no turn is live on #${issueNumber}. Nothing was changed.`);
  if (!isCancellable(turn))
    return refuse(
      `The agent has finished, and MergeXO is posting its result on #${issueNumber}. Nothing was changed.`,
    );
  cancelTurn(tools, turn, `canceled by an operator (${by})`);
  // Without the pause, the next cycle would open the same turn again.
  pauseWork(tools, scope);
  return { changed: true, turn: { kind: turn.kind, end: 'cancelled' } };
}

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
