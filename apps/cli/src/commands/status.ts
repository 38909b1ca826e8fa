import type { Health, HealthProblem } from '@mergexo/core/health';
import { NOTICE_TEXTS } from '@mergexo/core/ledger';
import { ALL, isLiveRun, RUN_STATUSES } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import { formatTime } from '@mergexo/core/timeline';
import { attemptOf, type Turn } from '@mergexo/core/turns';
import {
  type AliveWorker,
  listAliveWorkers,
  type Repository,
  type Run,
  readHealth,
  type State,
} from '@mergexo/state';
import type { Context } from '../context.js';
import { describeStatus, describeWait, readSituation } from '../describe-wait.js';
import { toLine } from '../printable.js';
import { findRepositories, nameOf, readState } from '../read-state.js';
import { renderTable } from '../render-table.js';

export type StatusOptions = { repo?: string };

const DAY_MS = 24 * 3_600_000;

/**
 * Shows work in progress, the workers and today's spend. Returns false if the poller is not running or cannot work,
 * because the report is then out of date.
 */
export function status(context: Context, options: StatusOptions): boolean {
  const now = Date.now();
  const report = readState(context, (state, { config, configPath }) => {
    const health = readHealth(state, {
      now,
      pollIntervalMs: config.runtime.pollIntervalSeconds * 1_000,
      configured: config.repos.map(({ fullName }) => fullName),
    });
    return {
      config: configPath,
      ...describeHealth(health),
      work: findRepositories(state, options.repo).flatMap((repository) => listWork(state, repository, now)),
      workers: health.countsWorkers
        ? listAliveWorkers(state, { carried: state.listCarriedTurns(), now })
        : null,
      pauses: listPauses(state),
      spend_today: readSpend(state, now),
    };
  });
  const ok = report.problems.length === 0;
  context.print({ ok, ...report }, () => render(report));
  return ok;
}

function describeHealth({ pollerRuns, problems, warnings, polls, webhook }: Health) {
  const toJson = ({ since, ...problem }: HealthProblem) => ({
    ...problem,
    since: since === null ? null : toTime(since),
  });
  return {
    problems: problems.map(toJson),
    warnings: warnings.map(toJson),
    poller: {
      running: pollerRuns,
      polls: polls.map(({ repo, lastCompleteAt: at }) => ({
        repo,
        last_complete_at: at === null ? null : toTime(at),
      })),
    },
    webhook:
      webhook === undefined
        ? null
        : {
            delivering: webhook.delivering,
            last_delivery_at: webhook.lastDeliveryAt === null ? null : toTime(webhook.lastDeliveryAt),
          },
  };
}

type Report = ReturnType<typeof describeHealth> & {
  work: ReturnType<typeof listWork>;
  /** Null if the poller receives no heartbeats. */
  workers: readonly AliveWorker[] | null;
  pauses: ReturnType<typeof listPauses>;
  spend_today: ReturnType<typeof readSpend>;
};

function listWork(state: State, repository: Repository, now: number) {
  const live = state.listRuns(
    repository.id,
    RUN_STATUSES.filter((name) => isLiveRun({ status: name })),
  );
  return live.map((run) => ({ repo: nameOf(repository), ...describeRun(state, run, now) }));
}

function describeRun(state: State, run: Run, now: number) {
  const situation = readSituation(state, run, now);
  const { turn, pending, failedReview } = situation;
  return {
    issue: run.issueNumber,
    title: run.issueTitle,
    flow: run.flow,
    status: run.status,
    pr: run.prNumber,
    status_text: describeStatus(situation),
    waits_for: describeWait(situation),
    turn: turn === undefined ? null : describeTurn(turn),
    unanswered_comments: pending,
    failed_review: failedReview ? { head_sha: failedReview.headSha, reason: failedReview.reason } : null,
    changed_comments: listChanged(state, run),
  };
}

function describeTurn(turn: Turn) {
  const { kind, state, workerId, reason } = turn;
  return { kind, state, attempt: attemptOf(turn), worker: workerId, last_trouble: reason };
}

/** Lists MergeXO's comments that somebody edited or deleted. MergeXO does not restore them. */
function listChanged(state: State, { repoId, issueNumber, id }: Run) {
  return state
    .listEventsOfIssue(repoId, issueNumber)
    .filter(({ type, runId }) => type === 'action_mismatch' && runId === id)
    .map(({ createdAt, payload, prNumber }) => ({ at: toTime(createdAt), pr: prNumber, payload }));
}

/** Lists the pauses of operators. `repo` is null for all work, and `issue` for a whole repository. */
function listPauses(state: State) {
  const names = new Map(state.listRepositories().map((repository) => [repository.id, nameOf(repository)]));
  return state.listPauses().map(({ repoId, issueNumber, since, by, reason }) => ({
    repo: repoId === ALL ? null : (names.get(repoId) ?? null),
    issue: issueNumber === ALL ? null : issueNumber,
    since: toTime(since),
    by,
    reason,
  }));
}

/** Reads today's spend. The day ends at midnight UTC, as it does for the limits. */
function readSpend(state: State, now: number) {
  const { inputTokens, outputTokens, costUsd } = state.sumSpendSince(now - (now % DAY_MS));
  return { input_tokens: inputTokens, output_tokens: outputTokens, cost_usd: costUsd };
}

function toTime(time: number): string {
  return new Date(time).toISOString();
}

function render(report: Report): string[] {
  const { problems, warnings, work, workers, pauses, webhook, spend_today: spend } = report;
  const rows = work.map((run) => [
    `${run.repo}#${run.issue}`,
    run.flow,
    run.status_text,
    run.pr === null ? '-' : `#${run.pr}`,
    toLine(run.waits_for, 160),
  ]);
  const changed = work.filter((run) => run.changed_comments.length > 0);
  return [
    ...problems.flatMap(({ message, fix }) => [`✗ ${toLine(message, 500)}`, `  → ${toLine(fix, 500)}`]),
    ...warnings.flatMap(({ message, fix }) => [`! ${toLine(message, 500)}`, `  → ${toLine(fix, 500)}`]),
    ...(problems.length + warnings.length === 0 ? [] : ['']),
    ...(rows.length === 0
      ? ['No work in progress.']
      : renderTable(['ISSUE', 'FLOW', 'STATUS', 'PR', 'WAITING FOR'], rows)),
    '',
    ...pauses.map(describePause),
    ...work.flatMap(describeFailedReview),
    ...changed.map(
      (run) =>
        `${run.repo}#${run.pr ?? run.issue}: somebody edited or deleted ${countOf(run.changed_comments.length, 'comment')} by MergeXO. MergeXO does not restore ${run.changed_comments.length === 1 ? 'it' : 'them'}.`,
    ),
    ...describeWebhook(webhook),
    describeWorkers(workers),
    ...(workers ?? []).flatMap(describeNotices),
    `Today (UTC): ${spend.input_tokens} tokens in, ${spend.output_tokens} out, ${spend.cost_usd.toFixed(2)} USD`,
  ];
}

function describeWebhook(webhook: Report['webhook']): string[] {
  if (webhook === null) return [];
  const { delivering, last_delivery_at: at } = webhook;
  if (delivering) return ['Webhook: deliveries arrive, so MergeXO polls less often'];
  return [
    at === null
      ? 'Webhook: no delivery has arrived yet, so MergeXO polls as usual'
      : `Webhook: no delivery since ${formatTime(Date.parse(at))}, so MergeXO polls as usual`,
  ];
}

function describePause({ repo, issue, since, by, reason }: Report['pauses'][number]): string {
  const name = repo === null ? 'All work' : issue === null ? repo : `${repo}#${issue}`;
  const about = `by ${by}${reason === null ? '' : `: ${reason}`}`;
  return toLine(`${name} has been paused since ${formatTime(Date.parse(since))} ${about}`);
}

function describeFailedReview({ repo, pr, failed_review: failed }: Report['work'][number]): string[] {
  if (failed === null) return [];
  const { head_sha: sha, reason } = failed;
  return [
    `${repo}#${pr}: the AI review of ${sha.slice(0, 7)} failed: ${toLine(reason, 160)}`,
    '  → Comment `/mergexo resume` on the pull request to retry it, or review the change yourself.',
  ];
}

function describeNotices({ id, notices }: AliveWorker): string[] {
  return notices.map((notice) => toLine(`! ${id}: ${NOTICE_TEXTS[notice]}.`, 300));
}

function describeWorkers(workers: Report['workers']): string {
  if (workers === null) return 'Workers: unknown, because the poller or Redis is down.';
  if (workers.length === 0) return 'No workers are running.';
  const names = workers.map(({ id, turns }) =>
    toLine(`${id} (${turns === 0 ? 'idle' : countOf(turns, 'turn')})`),
  );
  return `Workers: ${names.join(', ')}`;
}
