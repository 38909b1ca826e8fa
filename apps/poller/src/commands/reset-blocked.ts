import { type Brake, findBrake, type LedgerAnswer, type LedgerMessage } from '@mergexo/core/ledger';
import { findCapEnd, isLiveRun, RUN_STATUSES } from '@mergexo/core/runs';
import type { Pull, Repository, Run, State } from '@mergexo/state';
import { recordNotice } from '../lifecycle/action.js';
import { type AgentsOf, readTurnLimit } from '../lifecycle/agent-limits.js';
import { explainUnacceptableHead, unblockPull } from '../lifecycle/block-pull.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { retryWaitingTurn } from '../lifecycle/retry-on-request.js';
import { clearRun } from '../lifecycle/run/clear-run.js';
import type { Records } from '../tools.js';
import { answerOnce, refuse } from './answer-once.js';
import { isNamed, nameOf } from './repository-name.js';

export type ResetRequest = Extract<LedgerMessage, { kind: 'reset' }>;
export type ResetAnswer = Extract<LedgerAnswer, { kind: 'reset' | 'refused' }>;

type Tools = Records & { agentsOf: AgentsOf };
type Reading = Pick<Tools, 'state' | 'now' | 'agentsOf'>;
/** A pull request, or a run that was blocked before it had a pull request. */
type Chosen = { repo: string } & ({ pull: Pull } | { run: Run });
type Named = NonNullable<ResetRequest['pulls']>[number];
type ResetPull = Extract<ResetAnswer, { kind: 'reset' }>['pulls'][number];
type Limit = NonNullable<ResetPull['limit']>;
type Choice = { kind: 'chosen'; chosen: Chosen[] } | { kind: 'refused'; reason: string };

const LIVE = RUN_STATUSES.filter((status) => isLiveRun({ status }));
/** Resumes all requested pull requests and issues, or none. Their comments stay pending. */
export function resetBlocked(tools: Tools, request: ResetRequest): ResetAnswer {
  return answerOnce(tools, { request, kind: 'reset' }, () => resumeChosen(tools, request));
}

function resumeChosen(tools: Tools, request: ResetRequest): ResetAnswer {
  const choice = choosePulls(tools, request);
  if (choice.kind === 'refused') return choice;
  const pulls = choice.chosen.map((one) => {
    const described = describe(tools, request, one);
    const { repoId, runId, issueNumber, prNumber } = factsOf(one);
    const payload = {
      command: 'reset',
      by: request.by,
      reason: request.reason,
      request_id: request.requestId,
      head_sha: request.headSha,
      blocked_kind: described.blockedKind,
      blocked_reason: described.reason,
      limit: described.limit,
    };
    resume(tools, one, request);
    recordEvents(tools, [{ type: 'command_obeyed', repoId, runId, issueNumber, prNumber, payload }]);
    return described;
  });
  return { kind: 'reset', pulls };
}

function resume(tools: Tools, one: Chosen, request: ResetRequest): void {
  if (brakeOf(tools, one) === 'backoff') {
    const { repoId, runId } = factsOf(one);
    retryWaitingTurn(tools, tools.agentsOf(repoId), { runId, reason: request.reason });
    return;
  }
  if ('pull' in one) unblockPull(tools, one.pull, request);
  else clearRun(tools, one.run);
  planUnblockNotice(tools, one, request);
}

/** Posts a notice on GitHub, so that a rebuild from GitHub does not block the work again. */
function planUnblockNotice(tools: Records, one: Chosen, { requestId, headSha }: ResetRequest): void {
  const { repoId, runId, prNumber, issueNumber } = factsOf(one);
  const thread = prNumber ?? issueNumber;
  const accepted = headSha === null ? '' : ` The accepted head is now ${headSha}.`;
  const text = `Unblocked by an operator.${accepted}`;
  const payload = { text, acceptedHeadSha: headSha };
  const about = { repoId, runId, thread, cause: [requestId] };
  recordNotice(tools, { kind: 'unblock_notice', ...about, payload });
}

/** Returns the answer that `resetBlocked` would give, without changing anything. */
export function previewReset(tools: Reading, request: ResetRequest): ResetAnswer {
  const choice = choosePulls(tools, request);
  if (choice.kind === 'refused') return choice;
  return { kind: 'reset', pulls: choice.chosen.map((one) => describe(tools, request, one)) };
}

function choosePulls(tools: Reading, request: ResetRequest): Choice {
  const { state } = tools;
  const { pulls, repo, headSha } = request;
  if (headSha !== null && !(pulls?.length === 1 && pulls.every((one) => 'prNumber' in one)))
    return refuse('A head needs exactly one pull request: pass --pr.');
  const known = state.listRepositories();
  const stranger = [repo, ...(pulls ?? []).map((wanted) => wanted.repo)].find(
    (name) => name !== null && !known.some((other) => isNamed(other, name)),
  );
  if (stranger) {
    const names = known.map(nameOf).join(', ') || 'none yet';
    return refuse(`The poller does not know ${stranger} (known: ${names}).`);
  }
  if (pulls === null) return { kind: 'chosen', chosen: chooseAll(tools, known, request) };
  return chooseNamed(tools, { known, wanted: pulls }, request);
}

/** What a request for all work resumes: everything that continues only with an operator, and delayed retries. */
const OF_ALL: readonly (Brake | undefined)[] = ['blocked', 'limit', 'backoff'];

function chooseAll(tools: Reading, known: readonly Repository[], request: ResetRequest): Chosen[] {
  const { state } = tools;
  return known
    .filter((repository) => request.repo === null || isNamed(repository, request.repo))
    .flatMap((repository): Chosen[] => {
      const repo = nameOf(repository);
      const runs = state.listRuns(repository.id, LIVE).filter(({ prNumber }) => prNumber === null);
      return [
        ...state.listWatchedPulls(repository.id).map((pull) => ({ pull, repo })),
        ...runs.map((run) => ({ run, repo })),
      ];
    })
    .filter((one) => OF_ALL.includes(brakeOf(tools, one)));
}

function chooseNamed(
  tools: Reading,
  { known, wanted }: { known: readonly Repository[]; wanted: readonly Named[] },
  request: ResetRequest,
): Choice {
  const { state } = tools;
  const chosen = new Map<number, Chosen>();
  const complaints: string[] = [];
  for (const named of wanted) {
    const found = known
      .filter((repository) => named.repo === null || isNamed(repository, named.repo))
      .flatMap((repository) => findNamed(state, repository, named));
    const [first, ...others] = found;
    const number = 'prNumber' in named ? named.prNumber : named.issueNumber;
    const foreign =
      first === undefined || !('pull' in first)
        ? undefined
        : explainUnacceptableHead(first.pull, request.headSha);
    if (first === undefined) complaints.push(explainUnknown(state, known, named));
    else if (others.length > 0)
      complaints.push(
        `#${number} is in ${found.map((one) => one.repo).join(' and ')}: choose one with --repo`,
      );
    else if (!canResume(tools, first, request))
      complaints.push(`${first.repo}#${number} ${explainRunning(factsOf(first))}`);
    else if (foreign !== undefined) complaints.push(`${first.repo}#${number}: ${foreign}`);
    else chosen.set(factsOf(first).runId, first);
  }
  if (complaints.length === 0) return { kind: 'chosen', chosen: [...chosen.values()] };
  return refuse(`${complaints.join('; ')}. Nothing was changed.`);
}

function findNamed(state: State, repository: Repository, named: Named): Chosen[] {
  const repo = nameOf(repository);
  const [run] = 'prNumber' in named ? [] : state.listRunsOfIssue(repository.id, named.issueNumber);
  const prNumber = 'prNumber' in named ? named.prNumber : (run?.prNumber ?? null);
  // If the issue's run has a pull request, the reset applies to the pull request.
  if (prNumber === null) return run === undefined ? [] : [{ run, repo }];
  const pull = state.readPull(repository.id, prNumber);
  return pull === undefined ? [] : [{ pull, repo }];
}

/** Suggests `--issue` or `--pr`, because issues and pull requests share one number sequence. */
function explainUnknown(state: State, known: readonly Repository[], named: Named): string {
  const places = known.filter((repository) => named.repo === null || isNamed(repository, named.repo));
  if ('issueNumber' in named) {
    const { issueNumber: number } = named;
    const [pull] = places.flatMap(({ id }) => state.readPull(id, number) ?? []);
    if (pull === undefined) return `#${number} is not an issue that MergeXO works on`;
    return `#${number} is the pull request of issue #${pull.issueNumber}: use --pr ${number}`;
  }
  const { prNumber: number } = named;
  const [run] = places.flatMap(({ id }) => state.listRunsOfIssue(id, number).slice(0, 1));
  if (run === undefined) return `#${number} is not a pull request that MergeXO works on`;
  return run.prNumber === null
    ? `#${number} is an issue without a pull request: use --issue ${number}`
    : `#${number} is an issue, and its pull request is #${run.prNumber}: use --pr ${run.prNumber}`;
}

/** Only a blocked pull request has another head to accept. */
function canResume(tools: Reading, one: Chosen, { headSha }: ResetRequest): boolean {
  const brake = brakeOf(tools, one);
  return brake === 'blocked' || (brake !== undefined && headSha === null);
}

function brakeOf({ state, now }: Reading, one: Chosen): Brake | undefined {
  const facts = factsOf(one);
  return findBrake({ ...facts, turn: state.readLiveTurnOfRun(facts.runId), now: now() });
}

function explainRunning({ status, blockedKind, error }: ReturnType<typeof factsOf>): string {
  return findCapEnd(blockedKind) === 'capacity'
    ? `waits for free capacity, which a retry does not change: ${error}`
    : `is not blocked (${status})`;
}

/** Returns why the work is held back, or why its last attempt failed. */
function reasonOf(tools: Reading, one: Chosen): string | null {
  const { error, runId } = factsOf(one);
  return brakeOf(tools, one) === 'backoff' ? (tools.state.readLiveTurnOfRun(runId)?.reason ?? null) : error;
}

/**
 * Returns the usage limit that delays a retry after the reset; null for other work, because its next turn checks the
 * limit.
 */
function limitOf(tools: Reading, one: Chosen): Limit | null {
  const { runId, repoId } = factsOf(one);
  const turn = brakeOf(tools, one) === 'backoff' ? tools.state.readLiveTurnOfRun(runId) : undefined;
  const limit = turn && readTurnLimit(tools, tools.agentsOf(repoId), turn);
  return limit === undefined ? null : { adapter: limit.adapter, until: limit.until };
}

/** Returns the fields that pull requests and runs share. */
function factsOf(one: Chosen) {
  return 'pull' in one ? one.pull : { ...one.run, runId: one.run.id };
}

function describe(tools: Reading, request: ResetRequest, one: Chosen): ResetPull {
  const { state } = tools;
  const { repoId, prNumber, issueNumber, blockedKind } = factsOf(one);
  return {
    repo: one.repo,
    prNumber,
    issueNumber,
    blockedKind,
    reason: reasonOf(tools, one),
    limit: limitOf(tools, one),
    acceptedHeadSha: 'pull' in one ? (request.headSha ?? one.pull.acceptedHeadSha) : null,
    headSha: 'pull' in one ? one.pull.headSha : null,
    waitingComments: state.listUnclaimedEvents(repoId, prNumber ?? issueNumber).length,
  };
}
