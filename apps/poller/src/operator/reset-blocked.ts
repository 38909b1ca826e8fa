import {
  isLiveRun,
  type LedgerAnswer,
  type LedgerMessage,
  type Log,
  planNotice,
  RUN_STATUSES,
} from '@mergexo/core';
import type { Pull, Repository, Run, State } from '@mergexo/state';
import { explainForeignHead, unblockPull } from '../feedback/block-pull.js';
import { clearRun } from '../followup/clear-run.js';
import { recordEvents } from '../record-events.js';

export type ResetRequest = Extract<LedgerMessage, { kind: 'reset' }>;
export type ResetAnswer = Extract<LedgerAnswer, { kind: 'reset' | 'refused' }>;

type Tools = { state: State; now: () => number; log: Log };
/** Work with a pull request, or work that was blocked before it had one. */
type Chosen = { repo: string } & ({ pull: Pull } | { run: Run });
type Named = NonNullable<ResetRequest['pulls']>[number];
type Choice = { kind: 'chosen'; chosen: Chosen[] } | { kind: 'refused'; reason: string };

const LIVE = RUN_STATUSES.filter((status) => isLiveRun({ status }));
/** As long as a reason may be on the ledger, with some room left. */
const MAX_REASON = 3_000;

/**
 * Resumes blocked pull requests and issues: all that are asked for, or none. Their comments stay, and wait for an answer.
 * Killed before the commit nothing happened; a repetition finds the traces of its first time and gets the same answer.
 */
export function resetBlocked(tools: Tools, request: ResetRequest): ResetAnswer {
  const { state, now } = tools;
  return state.transaction((): ResetAnswer => {
    if (now() > request.expiresAt) return refuse('The request came too late; nothing was changed.');
    const choice = choosePulls(state, request);
    if (choice.kind === 'refused') return choice;
    const { headSha } = request;
    for (const one of choice.chosen.filter((other) => !wasResetBy(state, other, request))) {
      const { repoId, runId, issueNumber, prNumber, blockedKind, error } = factsOf(one);
      if ('pull' in one) unblockPull(tools, one.pull, { who: request.by, headSha });
      else clearRun(tools, one.run);
      planUnblockNotice(tools, one, request);
      const was = { blocked_kind: blockedKind, blocked_reason: error };
      const payload = {
        command: 'reset',
        by: request.by,
        request_id: request.requestId,
        head_sha: headSha,
        ...was,
      };
      recordEvents(tools, [{ type: 'command_obeyed', repoId, runId, issueNumber, prNumber, payload }]);
    }
    return { kind: 'reset', pulls: choice.chosen.map((one) => describe(state, request, one)) };
  });
}

/** Said on GitHub as well: whoever rebuilds the state from there must not find it blocked. */
function planUnblockNotice({ state, now }: Tools, one: Chosen, { requestId, headSha }: ResetRequest): void {
  const { repoId, runId, prNumber, issueNumber } = factsOf(one);
  const thread = prNumber ?? issueNumber;
  const accepted = headSha === null ? '' : ` ${headSha} is the accepted head now.`;
  const words = `Unblocked by an operator.${accepted}`;
  const notice = { kind: 'unblock_notice' as const, repoId, runId, thread, cause: [requestId], words };
  state.recordActions([planNotice(notice)], now());
}

/** What `resetBlocked` would do now. Reads only. */
export function previewReset(state: State, request: ResetRequest): ResetAnswer {
  const choice = choosePulls(state, request);
  if (choice.kind === 'refused') return choice;
  return { kind: 'reset', pulls: choice.chosen.map((one) => describe(state, request, one)) };
}

function choosePulls(state: State, request: ResetRequest): Choice {
  const { pulls, repo, headSha } = request;
  if (headSha !== null && !(pulls?.length === 1 && pulls.every((one) => 'prNumber' in one)))
    return refuse('A head belongs to exactly one pull request: name it.');
  const known = state.listRepositories();
  const stranger = [repo, ...(pulls ?? []).map((wanted) => wanted.repo)].find(
    (name) => name !== null && !known.some((other) => isNamed(other, name)),
  );
  if (stranger) {
    const names = known.map(nameOf).join(', ') || 'none yet';
    return refuse(`The poller does not know ${stranger} (known: ${names}).`);
  }
  if (pulls === null) return { kind: 'chosen', chosen: chooseAll(state, known, request) };
  return chooseNamed(state, known, pulls, request);
}

function chooseAll(state: State, known: readonly Repository[], request: ResetRequest): Chosen[] {
  const watched = known
    .filter((repository) => request.repo === null || isNamed(repository, request.repo))
    .flatMap((repository): Chosen[] => {
      const repo = nameOf(repository);
      const runs = state.listRuns(repository.id, LIVE).filter(({ prNumber }) => prNumber === null);
      return [
        ...state.listWatchedPulls(repository.id).map((pull) => ({ pull, repo })),
        ...runs.map((run) => ({ run, repo })),
      ];
    });
  // The answer to a repetition is what its first time did, whatever was blocked since.
  const done = watched.filter((one) => wasResetBy(state, one, request));
  return done.length > 0 ? done : watched.filter((one) => factsOf(one).status === 'blocked');
}

function chooseNamed(
  state: State,
  known: readonly Repository[],
  wanted: readonly Named[],
  request: ResetRequest,
): Choice {
  const chosen = new Map<number, Chosen>();
  const complaints: string[] = [];
  for (const named of wanted) {
    const found = known
      .filter((repository) => named.repo === null || isNamed(repository, named.repo))
      .flatMap((repository) => findNamed(state, repository, named));
    const [first, ...others] = found;
    const number = 'prNumber' in named ? named.prNumber : named.issueNumber;
    const foreign =
      first === undefined || !('pull' in first) || wasResetBy(state, first, request)
        ? undefined
        : explainForeignHead(first.pull, request.headSha);
    if (first === undefined)
      complaints.push(`#${number} is not ${describeKind(named)} that MergeXO works on`);
    else if (others.length > 0)
      complaints.push(`#${number} is in ${found.map((one) => one.repo).join(' and ')}: say which (--repo)`);
    else if (factsOf(first).status !== 'blocked' && !wasResetBy(state, first, request))
      complaints.push(`${first.repo}#${number} is not blocked (${factsOf(first).status})`);
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
  // The work on an issue that has a pull request is resumed there.
  if (prNumber === null) return run === undefined ? [] : [{ run, repo }];
  const pull = state.readPull(repository.id, prNumber);
  return pull === undefined ? [] : [{ pull, repo }];
}

function describeKind(named: Named): string {
  return 'prNumber' in named ? 'a pull request' : 'an issue';
}

/** The facts that both kinds have. */
function factsOf(one: Chosen) {
  return 'pull' in one ? one.pull : { ...one.run, runId: one.run.id };
}

function wasResetBy(state: State, one: Chosen, request: ResetRequest): boolean {
  return findReset(state, one, request) !== undefined;
}

function findReset(
  state: State,
  one: Chosen,
  { requestId }: ResetRequest,
): Record<string, unknown> | undefined {
  const facts = factsOf(one);
  return state
    .listEventsOfIssue(facts.repoId, facts.issueNumber)
    .filter(({ type, runId }) => type === 'command_obeyed' && runId === facts.runId)
    .map(({ payload }) => toRecord(payload))
    .find((payload) => payload['request_id'] === requestId);
}

function describe(
  state: State,
  request: ResetRequest,
  one: Chosen,
): Extract<ResetAnswer, { kind: 'reset' }>['pulls'][number] {
  const { repoId, prNumber, issueNumber, blockedKind, error } = factsOf(one);
  const done = findReset(state, one, request);
  return {
    repo: one.repo,
    prNumber,
    issueNumber,
    blockedKind: done === undefined ? blockedKind : toText(done['blocked_kind']),
    reason: done === undefined ? error : toText(done['blocked_reason']),
    acceptedHeadSha: 'pull' in one ? (request.headSha ?? one.pull.lastSeenHeadSha) : null,
    headSha: 'pull' in one ? one.pull.headSha : null,
    waitingComments: state.listUnclaimedEvents(repoId, prNumber ?? issueNumber).length,
  };
}

function nameOf({ owner, name }: Repository): string {
  return `${owner}/${name}`;
}

/** As on GitHub, where capitals make no difference. */
function isNamed(repository: Repository, name: string): boolean {
  return nameOf(repository).toLowerCase() === name.toLowerCase();
}

function refuse(reason: string): { kind: 'refused'; reason: string } {
  return { kind: 'refused', reason: reason.slice(0, MAX_REASON) };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function toText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
