import { rerunTargetOf } from '@mergexo/core/actions';
import { isWithin } from '@mergexo/core/basics';
import {
  type CheckRun,
  type CiPolicy,
  chooseFailures,
  type FailedJob,
  renderFailure,
} from '@mergexo/core/ci';
import { buildEventKey, type Remark } from '@mergexo/core/feedback';
import { countOf, type Redact } from '@mergexo/core/text';
import { FeedbackContext, isOfFamily } from '@mergexo/core/turns';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { GREEN } from '../lifecycle/skip-reasons.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { AUTO_UPDATE } from '../threads/ask-for-update.js';
import type { Repo } from '../tools.js';
import { type CheckTools, readHeadSince } from './watch-checks.js';
import { isListed } from './watch-pulls.js';

export type RaiseTools = CheckTools & { redact: Redact; limits: { maxCiFixTurnsPerHead: number } };

const LOG_BYTES = 32 * 1024;
/** Of so many failed runs the logs are read; for more, the links have to do. */
const MAX_LOGS = 5;
/** Fixes that bring the next failure are no progress either, though each has a head of its own. */
const MAX_IN_A_ROW = 3;
const LONGEST_WAIT_MS = 2 * 3_600_000;

/** A failed run is feedback like a comment: one event per run and attempt, on the head that it was about. */
export async function raiseFailures(tools: RaiseTools, repo: Repo): Promise<void> {
  const { state } = tools;
  const policy = repo.config.ciPolicy;
  if (policy === 'never') return;
  for (const pull of state.listWatchedPulls(repo.id).filter(isListed)) {
    const { headSha } = pull;
    if (headSha === null) continue;
    dropOutdated(tools, pull, headSha);
    const isFree = pull.status === 'awaiting_feedback' && !isIgnored(pull);
    // A turn that runs may push what makes the failure moot.
    if (!isFree || state.readLiveTurnOfRun(pull.runId) !== undefined) continue;
    const failures = chooseFailures(pull.checks ?? [], {
      headSha,
      policy: choosePolicy(tools, pull, policy),
    });
    const fresh = failures.filter((run) => !isKnown(state, pull, run));
    if (fresh.length === 0) continue;
    const reason = explainStop(tools, pull, fresh, headSha);
    const jobs = new Map<CheckRun, FailedJob[]>();
    for (const run of fresh.filter(({ source }) => source === 'actions').slice(0, MAX_LOGS))
      jobs.set(run, await readJobs(tools, repo, run));
    // At once: of failures that are known the reason to stop could not be told any more.
    state.transaction(() => {
      for (const run of fresh) raise(tools, pull, run, jobs.get(run) ?? []);
      // Kept also where it blocks: whoever lifts the block gives it to the agent.
      if (reason !== undefined) stop(tools, pull, reason);
    });
  }
}

/** A check that never ends must not hide for ever what failed beside it. */
function choosePolicy(tools: RaiseTools, pull: Pull, policy: CiPolicy): CiPolicy {
  const isStuck = !isWithin(LONGEST_WAIT_MS, readHeadSince(tools, pull), tools.now());
  return policy === 'all_complete' && isStuck ? 'first_fail' : policy;
}

/** The head has moved on: what failed before it is no question any more. */
function dropOutdated(tools: RaiseTools, pull: Pull, headSha: string): void {
  const { state } = tools;
  const outdated = state
    .listUnclaimedEvents(pull.repoId, pull.prNumber)
    .filter(({ kind, payload }) => kind === 'ci' && payload.headSha !== headSha);
  if (outdated.length === 0) return;
  state.transaction(() => {
    for (const event of outdated)
      state.markEventProcessed(event, tools.now(), 'it was about an earlier commit');
  });
}

function isKnown(state: State, pull: Pull, run: CheckRun): boolean {
  const { repoId, prNumber: thread } = pull;
  return state
    .listEventsOfThread(repoId, thread)
    .some(
      ({ kind, commentId, updatedAt, skipReason }) =>
        kind === 'ci' && commentId === run.id && updatedAt === nameAttempt(run) && skipReason !== GREEN,
    );
}

/** A status has the same id on every head. */
function nameAttempt({ headSha, attempt }: CheckRun): string {
  return `${headSha.slice(0, 12)}.attempt-${attempt}`;
}

/** Why the failure is not given to the agent once more; undefined when it is. */
function explainStop(
  tools: RaiseTools,
  pull: Pull,
  fresh: readonly CheckRun[],
  headSha: string,
): string | undefined {
  const { state } = tools;
  const turns = listFeedbackTurns(state, pull);
  const here = turns.filter(({ context, isCiOnly }) => isCiOnly && context.headSha === headSha).length;
  const max = tools.limits.maxCiFixTurnsPerHead;
  const names = fresh.map(({ name, url }) => `${name} (${url})`).join(', ');
  if (fresh.some((run) => wasRepeated(state, pull, run)))
    return `${names} failed again after it was run once more.`;
  if (here >= max)
    return `${names} fails, and ${countOf(here, 'turn')} on this commit did not mend it (limits.max_ci_fix_turns_per_head).`;
  const inARow = countInARow(turns);
  return inARow >= MAX_IN_A_ROW * Math.max(1, max)
    ? `${names} fails, and ${countOf(inARow, 'fix', 'fixes')} in a row did not end it.`
    : undefined;
}

function stop(tools: RaiseTools, { repoId, prNumber }: Pull, reason: string): void {
  const known = tools.state.readPull(repoId, prNumber);
  if (known?.status === 'awaiting_feedback') blockPull(tools, known, { kind: 'ci_failing', reason });
}

function wasRepeated(state: State, pull: Pull, run: CheckRun): boolean {
  return state
    .listActionsOfThread(pull.repoId, pull.prNumber, 1_000)
    .some((action) => rerunTargetOf(action)?.runId === run.id && action.state === 'settled');
}

type FeedbackTurn = { context: FeedbackContext; isCiOnly: boolean };

/** Since an operator last lifted a block. */
function listFeedbackTurns(state: State, pull: Pull): FeedbackTurn[] {
  const clearedAt = state.readRun(pull.runId)?.clearedAt ?? 0;
  return state
    .listTurnsOfRun(pull.runId)
    .filter(({ openedAt }) => openedAt >= clearedAt)
    .filter(
      ({ prNumber, kind, state: now }) => prNumber !== null && isOfFamily(kind, 'feedback') && now === 'done',
    )
    .map(({ turnKey }) => FeedbackContext.parse(state.readTurnContext(turnKey)))
    .map((context) => ({
      context,
      isCiOnly: context.events.every(({ kind, author }) => kind === 'ci' && author !== AUTO_UPDATE),
    }));
}

/** Since a person last said something. */
function countInARow(turns: readonly FeedbackTurn[]): number {
  const last = turns.findLastIndex(({ isCiOnly }) => !isCiOnly);
  return turns.length - 1 - last;
}

function raise(tools: RaiseTools, pull: Pull, run: CheckRun, jobs: readonly FailedJob[]): void {
  const { state, now, redact } = tools;
  const remark: Remark = {
    kind: 'ci',
    commentId: run.id,
    thread: pull.prNumber,
    body: redact(renderFailure(run, jobs)),
    author: { id: 0, login: 'checks', type: 'Bot' },
    url: run.url,
    createdAt: run.updatedAt,
    updatedAt: nameAttempt(run),
    path: null,
    line: null,
    side: null,
    inReplyToId: null,
    reviewId: null,
    reviewState: null,
    headSha: run.headSha,
    check: { source: run.source, attempt: run.attempt },
  };
  const { repoId, issueNumber, runId, prNumber } = pull;
  // A status has no attempts: one that was green in between fails under the same name.
  if (!state.recordFeedbackEvent({ repoId, issueNumber, remark, skipReason: null }, now()))
    state.reviveEvent(repoId, buildEventKey(remark));
  const payload = { name: run.name, conclusion: run.conclusion, url: run.url, attempt: run.attempt };
  recordEvents(tools, [{ type: 'ci_failed', repoId, runId, issueNumber, prNumber, payload }]);
}

/** A log that cannot be had holds nothing up. */
async function readJobs({ github, log }: RaiseTools, repo: Repo, run: CheckRun): Promise<FailedJob[]> {
  const { fullName } = repo.config;
  const about = { message: 'the log of a failed run could not be read', run_id: run.id };
  const read = await skipUnreadable(log, about, async () => {
    const jobs: FailedJob[] = [];
    for (const { id, name, url } of await github.fetchFailedJobs(fullName, run.id))
      jobs.push({ name, url: url ?? '', log: await github.fetchJobLogTail(fullName, id, LOG_BYTES) });
    return jobs;
  });
  return read ?? [];
}
