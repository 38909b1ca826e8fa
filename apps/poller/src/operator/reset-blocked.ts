import { type LedgerAnswer, type LedgerMessage, type Log, planNotice } from '@mergexo/core';
import type { Pull, Repository, State } from '@mergexo/state';
import { unblockPull } from '../feedback/block-pull.js';
import { recordEvents } from '../record-events.js';

export type ResetRequest = Extract<LedgerMessage, { kind: 'reset' }>;
export type ResetAnswer = Extract<LedgerAnswer, { kind: 'reset' | 'refused' }>;

type Tools = { state: State; now: () => number; log: Log };
type Chosen = { pull: Pull; repo: string };
type Choice = { kind: 'chosen'; chosen: Chosen[] } | { kind: 'refused'; reason: string };

/** As long as a reason may be on the ledger, with some room left. */
const MAX_REASON = 3_000;

/**
 * Lets blocked pull requests go on: all that are asked for, or none. Their comments stay, and wait for an answer. Killed
 * before the commit nothing happened; a repetition finds the traces of its first time and gets the same answer.
 */
export function resetBlocked(tools: Tools, request: ResetRequest): ResetAnswer {
  const { state, now } = tools;
  return state.transaction((): ResetAnswer => {
    if (now() > request.expiresAt) return refuse('The request came too late; nothing was changed.');
    const choice = choosePulls(state, request);
    if (choice.kind === 'refused') return choice;
    const { headSha } = request;
    for (const { pull } of choice.chosen.filter((one) => !wasResetBy(state, one.pull, request))) {
      unblockPull(tools, pull, { who: request.by, headSha });
      planUnblockNotice(tools, pull, request);
      const { repoId, runId, issueNumber, prNumber, blockedKind, error } = pull;
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
function planUnblockNotice({ state, now }: Tools, pull: Pull, { requestId, headSha }: ResetRequest): void {
  const { repoId, runId, prNumber: thread } = pull;
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
  if (headSha !== null && pulls?.length !== 1)
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
    .flatMap((repository) =>
      state.listWatchedPulls(repository.id).map((pull) => ({ pull, repo: nameOf(repository) })),
    );
  // The answer to a repetition is what its first time did, whatever was blocked since.
  const done = watched.filter(({ pull }) => wasResetBy(state, pull, request));
  return done.length > 0 ? done : watched.filter(({ pull }) => pull.status === 'blocked');
}

function chooseNamed(
  state: State,
  known: readonly Repository[],
  wanted: NonNullable<ResetRequest['pulls']>,
  request: ResetRequest,
): Choice {
  const chosen = new Map<number, Chosen>();
  const complaints: string[] = [];
  for (const { repo, prNumber } of wanted) {
    const found = known
      .filter((repository) => repo === null || isNamed(repository, repo))
      .flatMap((repository) => {
        const pull = state.readPull(repository.id, prNumber);
        return pull === undefined ? [] : [{ pull, repo: nameOf(repository) }];
      });
    const [first, ...others] = found;
    if (first === undefined) complaints.push(`#${prNumber} is not a pull request that MergeXO works on`);
    else if (others.length > 0)
      complaints.push(`#${prNumber} is in ${found.map((one) => one.repo).join(' and ')}: say which (--repo)`);
    else if (first.pull.status !== 'blocked' && !wasResetBy(state, first.pull, request))
      complaints.push(`${first.repo}#${prNumber} is not blocked (${first.pull.status})`);
    else chosen.set(first.pull.id, first);
  }
  if (complaints.length === 0) return { kind: 'chosen', chosen: [...chosen.values()] };
  return refuse(`${complaints.join('; ')}. Nothing was changed.`);
}

function wasResetBy(state: State, pull: Pull, request: ResetRequest): boolean {
  return findReset(state, pull, request) !== undefined;
}

function findReset(
  state: State,
  pull: Pull,
  { requestId }: ResetRequest,
): Record<string, unknown> | undefined {
  return state
    .listEventsOfIssue(pull.repoId, pull.issueNumber)
    .filter(({ type, prNumber }) => type === 'command_obeyed' && prNumber === pull.prNumber)
    .map(({ payload }) => toRecord(payload))
    .find((payload) => payload['request_id'] === requestId);
}

function describe(
  state: State,
  request: ResetRequest,
  { pull, repo }: Chosen,
): Extract<ResetAnswer, { kind: 'reset' }>['pulls'][number] {
  const { repoId, prNumber, issueNumber, lastSeenHeadSha, headSha } = pull;
  const done = findReset(state, pull, request);
  return {
    repo,
    prNumber,
    issueNumber,
    blockedKind: done === undefined ? pull.blockedKind : toText(done['blocked_kind']),
    reason: done === undefined ? pull.error : toText(done['blocked_reason']),
    acceptedHeadSha: request.headSha ?? lastSeenHeadSha,
    headSha,
    waitingComments: state.listUnclaimedEvents(repoId, prNumber).length,
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
