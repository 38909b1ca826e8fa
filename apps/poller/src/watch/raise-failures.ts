import { parseTarget } from '@mergexo/core/actions';
import { isWithin } from '@mergexo/core/basics';
import {
  type Annotation,
  type CheckRun,
  type CiPolicy,
  chooseFailures,
  type FailedJob,
  type FailureDetails,
  renderFailure,
} from '@mergexo/core/ci';
import { buildEventKey, nameAttempt, type Remark } from '@mergexo/core/feedback';
import { countOf, type Redact } from '@mergexo/core/text';
import { FeedbackContext, isOfFamily } from '@mergexo/core/turns';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { blockPull } from '../lifecycle/block-pull.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { AUTO_UPDATE } from '../threads/ask-for-update.js';
import { NO_LOCATION } from '../threads/to-remark.js';
import type { Repo } from '../tools.js';
import { type CheckTools, readHeadSince } from './watch-checks.js';
import { isListed } from './watch-pulls.js';

export type RaiseTools = CheckTools & { redact: Redact; limits: { maxCiFixTurnsPerHead: number } };

const LOG_BYTES = 500_000;
/** Maximum number of failed runs to read in detail, and of logs per run. The agent gets links to the rest. */
const MAX_READ = 5;
const MAX_LOGS = 10;
/** Maximum number of fixes in a row, in case each fix pushes a new head that fails again. */
const MAX_IN_A_ROW = 3;
const LONGEST_WAIT_MS = 2 * 3_600_000;

/** Records failed checks of the current head as feedback: one event per run and attempt. */
export async function raiseFailures(tools: RaiseTools, repo: Repo): Promise<void> {
  const { state } = tools;
  const policy = repo.config.ciPolicy;
  if (policy === 'never') return;
  for (const pull of state.listWatchedPulls(repo.id).filter(isListed)) {
    const { headSha } = pull;
    if (headSha === null) continue;
    dropOutdated(tools, pull, headSha);
    const isFree = pull.status === 'awaiting_feedback' && !isIgnored(pull);
    // Waits for a running turn, because it may push a fix for the failure.
    if (!isFree || state.readLiveTurnOfRun(pull.runId) !== undefined) continue;
    const failures = chooseFailures(pull.checks ?? [], {
      headSha,
      policy: choosePolicy(tools, pull, policy),
    });
    const fresh = failures.filter((run) => !isKnown(state, pull, run));
    if (fresh.length === 0) continue;
    const reason = explainStop(tools, pull, fresh);
    const details = new Map<CheckRun, FailureDetails>();
    for (const run of fresh.filter(({ source }) => source !== 'status').slice(0, MAX_READ))
      details.set(run, await readDetails(tools, repo.config.fullName, run));
    // Saves the events and the block in one transaction, because recorded failures no longer count as new in the next
    // cycle.
    state.transaction(() => {
      for (const run of fresh) raise(tools, pull, { run, ...(details.get(run) ?? hasNone(run)) });
      // The failures stay pending during the block, so that the agent gets them after the unblock.
      if (reason !== undefined) stop(tools, pull, reason);
    });
  }
}

/** Stops waiting for all checks after two hours, because a check that never finishes would hide failures. */
function choosePolicy(tools: RaiseTools, pull: Pull, policy: CiPolicy): CiPolicy {
  const isStuck = !isWithin(LONGEST_WAIT_MS, readHeadSince(tools, pull), tools.now());
  return policy === 'all_complete' && isStuck ? 'first_fail' : policy;
}

/** Skips pending failures of older heads. */
function dropOutdated(tools: RaiseTools, pull: Pull, headSha: string): void {
  const { state } = tools;
  const outdated = state
    .listUnclaimedEvents(pull.repoId, pull.prNumber)
    .filter(({ kind, payload }) => kind === 'ci' && payload.headSha !== headSha);
  if (outdated.length === 0) return;
  state.transaction(() => {
    for (const event of outdated) state.markEventProcessed(event, tools.now(), { code: 'older_commit' });
  });
}

function isKnown(state: State, pull: Pull, run: CheckRun): boolean {
  const { repoId, prNumber: thread } = pull;
  const version = { thread, kind: 'ci', commentId: run.id, updatedAt: nameAttempt(run) } as const;
  const event = state.readFeedbackEvent(repoId, buildEventKey(version));
  return event !== undefined && event.skipReason?.code !== 'check_passed';
}

/** Returns why MergeXO blocks the pull request instead of asking the agent; undefined if the agent gets the failure. */
function explainStop(tools: RaiseTools, pull: Pull, fresh: readonly CheckRun[]): string | undefined {
  const { state } = tools;
  const turns = listFeedbackTurns(state, pull);
  const here = turns.filter(({ context, isCiOnly }) => isCiOnly && context.headSha === pull.headSha).length;
  const max = tools.limits.maxCiFixTurnsPerHead;
  const names = fresh.map(({ name, url }) => `${name} (${url})`).join(', ');
  if (fresh.some((run) => wasRepeated(state, pull, run))) return `${names} failed again after a rerun.`;
  if (here >= max)
    return `${names} still fails after ${countOf(here, 'turn')} on this commit (limits.max_ci_fix_turns_per_head).`;
  const inARow = countInARow(turns);
  return inARow >= MAX_IN_A_ROW * Math.max(1, max)
    ? `${names} still fails after ${countOf(inARow, 'fix', 'fixes')} in a row.`
    : undefined;
}

function stop(tools: RaiseTools, { repoId, prNumber }: Pull, reason: string): void {
  const known = tools.state.readPull(repoId, prNumber);
  if (known?.status === 'awaiting_feedback') blockPull(tools, known, { kind: 'ci_failing', reason });
}

function wasRepeated(state: State, pull: Pull, run: CheckRun): boolean {
  return state
    .listActionsOfThread(pull.repoId, pull.prNumber, 1_000)
    .filter(({ kind, state: now }) => kind === 'rerun_checks' && now === 'settled')
    .some(({ target: text }) => {
      const target = parseTarget(text);
      return target.kind === 'checks' && target.runId === run.id;
    });
}

type FeedbackTurn = { context: FeedbackContext; isCiOnly: boolean };

/** Returns the completed feedback turns since the last unblock by an operator. */
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

/** Counts the turns after the last turn that answered a person. */
function countInARow(turns: readonly FeedbackTurn[]): number {
  const last = turns.findLastIndex(({ isCiOnly }) => !isCiOnly);
  return turns.length - 1 - last;
}

type FailedRun = FailureDetails & { run: CheckRun };

/** A commit status has no details. Those of other checks were not read. */
function hasNone({ source }: CheckRun): FailureDetails {
  return { jobs: [], annotations: [], isRead: source === 'status' };
}

function raise(tools: RaiseTools, pull: Pull, failed: FailedRun): void {
  const { state, now, redact } = tools;
  const { run } = failed;
  const remark = toFailureRemark(failed, { thread: pull.prNumber, redact });
  const { repoId, issueNumber, runId, prNumber } = pull;
  // A commit status has no attempts, so a status that fails again has the same key and revives its event.
  if (!state.recordFeedbackEvent({ repoId, issueNumber, remark, skipReason: null }, now()))
    state.reviveEvent(repoId, buildEventKey(remark));
  const payload = { name: run.name, conclusion: run.conclusion, url: run.url, attempt: run.attempt };
  recordEvents(tools, [{ type: 'ci_failed', repoId, runId, issueNumber, prNumber, payload }]);
}

export function toFailureRemark(
  { run, ...details }: FailedRun,
  { thread, redact }: { thread: number; redact: Redact },
): Remark {
  const { summary, log } = renderFailure(run, details);
  return {
    ...NO_LOCATION,
    kind: 'ci',
    commentId: run.id,
    thread,
    body: redact(summary),
    ...(log !== null && { log: redact(log.text), ...(log.isCut && { isLogCut: true }) }),
    author: { id: 0, login: 'checks', type: 'Bot' },
    url: run.url,
    createdAt: run.updatedAt,
    updatedAt: nameAttempt(run),
    headSha: run.headSha,
    check: { source: run.source, attempt: run.attempt },
  };
}

export type DetailTools = Pick<RaiseTools, 'log'> & {
  github: Pick<GitHub, 'fetchFailedJobs' | 'fetchJobLogTail' | 'fetchFailureAnnotations'>;
};

/**
 * Reads the failed jobs of a workflow run, or the annotations of another check. Omits details that GitHub cannot
 * return: the agent gets at least the link.
 */
export async function readDetails(
  tools: DetailTools,
  fullName: string,
  run: CheckRun,
): Promise<FailureDetails> {
  const annotate = (id: number) => readAnnotations(tools, fullName, id);
  if (run.source === 'check') return { jobs: [], annotations: await annotate(run.id), isRead: true };
  const { github, log } = tools;
  const about = {
    message: 'could not read the log of a failed workflow run; the agent gets only its link',
    run_id: run.id,
  };
  const jobs: FailedJob[] = [];
  await skipUnreadable(log, about, async () => {
    for (const [index, job] of (await github.fetchFailedJobs(fullName, run.id)).entries()) {
      const { id, name, url, failedSteps: steps } = job;
      const isRead = index < MAX_LOGS;
      const log: FailedJob['log'] = isRead ? await readTail(tools, fullName, id) : { kind: 'unread' };
      const annotations = isRead ? await annotate(id) : [];
      jobs.push({ name, url: url ?? '', steps, annotations, log });
    }
  });
  return { jobs, annotations: [], isRead: true };
}

async function readTail({ github }: DetailTools, fullName: string, id: number): Promise<FailedJob['log']> {
  const tail = await github.fetchJobLogTail(fullName, id, LOG_BYTES);
  return tail === null ? { kind: 'unavailable' } : { kind: 'read', ...tail };
}

/** Returns no annotations on failure, because a token may have access to workflow logs but not to checks. */
async function readAnnotations(
  { github, log }: DetailTools,
  fullName: string,
  id: number,
): Promise<Annotation[]> {
  const about = { message: 'could not read the annotations of a failed check', check_run_id: id };
  const read = () => github.fetchFailureAnnotations(fullName, id);
  return (await skipUnreadable(log, about, read)) ?? [];
}
