import type { Config } from '@mergexo/config';
import type { Failure } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import { attempt } from './attempt.js';
import type { Health } from './connect/health.js';
import type { Pauses } from './connect/pauses.js';
import { inParallel } from './in-parallel.js';
import { sweepWorkers } from './ledger/watch-workers.js';
import { isInRebuildWindow } from './lifecycle/database-age.js';
import { type OpenFeedbackTools, openFeedbackTurns } from './open/open-feedback-turns.js';
import { openFixTurns } from './open/open-fix-turns.js';
import { openReviewTurns } from './open/open-review-turns.js';
import { type OpenTools, openStartTurns } from './open/open-start-turns.js';
import { routeComments } from './open/route-comments.js';
import { scheduleImplementations } from './open/schedule-implementations.js';
import { pollRepo } from './poll-repo.js';
import type { Rhythm } from './rhythm.js';
import type { GitHubLink, Records, Repo, Self } from './tools.js';
import { type RaiseTools, raiseFailures } from './watch/raise-failures.js';
import { reportDrift } from './watch/report-drift.js';
import type { Sweeps } from './watch/sweep.js';

/**
 * Maximum age of the GitHub response on which MergeXO opens or begins a turn. A worker usually begins a turn
 * within 0.1 s after the poller opens it. A turn that waited longer is checked again.
 */
export const RECENT_MS = 2_000;

export type PollTools = Records & {
  link: GitHubLink;
  keys: SigningKeys;
  config: Config;
  /** True if the cycle reads the feeds. With `--once`, false after the first complete cycle. */
  readsFeeds: () => boolean;
  /** False for a repository that this cycle skips, because only others are due. By default, all are polled. */
  isPolled?: (repo: Repo) => boolean;
  /** False for a while after the poller starts or Redis recovers, because heartbeats may be missing. */
  hearsWorkers: () => boolean;
  pauses: Pauses;
  health: Pick<Health, 'report'>;
  sweeps: Sweeps;
  rhythm: Rhythm;
};

/**
 * Runs one cycle. A failed step does not stop the others, and the next cycle retries it. Returns true if every
 * repository was read completely.
 */
export async function pollOnce(tools: PollTools): Promise<boolean> {
  const { log, link, config, isPolled = () => true } = tools;
  if (tools.hearsWorkers()) await attempt(log, { step: 'sweep workers' }, () => sweepWorkers(tools));
  const connected = await link.connect();
  if (connected === undefined) return false;
  const { viewer, repos } = connected;
  let complete = repos.length === config.repos.length;
  await inParallel(repos.filter(isPolled), async (repo) => {
    const polled = !tools.pauses.isPaused(repo.id) && (await pollOne(tools, repo, viewer));
    complete &&= polled;
  });
  await checkIfDue(tools, 0, () =>
    attempt(log, { step: 'schedule implementations' }, () => schedule(tools, viewer, repos)),
  );
  return complete;
}

/** Runs the check, unless it ran within the last minute, nothing has changed since then, and no work is open. */
async function checkIfDue(
  { rhythm, state }: PollTools,
  repoId: number,
  check: () => Promise<boolean>,
): Promise<void> {
  const done = rhythm.startCheck(repoId);
  if (done === undefined && !state.hasOpenWork()) return;
  if (await check()) done?.();
}

async function schedule(tools: PollTools, viewer: Self, repos: readonly Repo[]): Promise<void> {
  const { config, link, state, now, pauses } = tools;
  const { limits, runtime, scheduler } = config;
  const windowMs = runtime.visibilityWindowSeconds * 1_000;
  await scheduleImplementations(
    {
      ...tools,
      github: link.github,
      viewer,
      limits,
      debounceMs: runtime.feedbackDebounceSeconds * 1_000,
      windowMs,
      recentMs: RECENT_MS,
      weights: scheduler,
      maxConcurrent: limits.maxConcurrentImplementations ?? runtime.workerCount,
      isInRebuildWindow: (repo) =>
        pauses.isPaused(repo.id) || isInRebuildWindow({ state, now, windowMs }, repo),
    },
    repos,
  );
}

/** Polls one repository. A failure or rate limit does not delay other repositories. Returns true if no step failed. */
async function pollOne(tools: PollTools, repo: Repo, viewer: Self): Promise<boolean> {
  const { config, log, link, pauses, health } = tools;
  const { fullName } = repo.config;
  const windowMs = config.runtime.visibilityWindowSeconds * 1_000;
  const debounceMs = config.runtime.feedbackDebounceSeconds * 1_000;
  const { limits } = config;
  const about = {
    ...tools,
    github: link.github,
    redact: link.redact,
    viewer,
    overlapMs: windowMs,
    windowMs,
    recentMs: RECENT_MS,
    debounceMs,
    limits,
  };
  const readFeeds = async (): Promise<void> => {
    const polled = await pollRepo(about, repo);
    health.report(`repo/${repo.id}`, polled === 'polled' ? undefined : polled);
  };
  const steps: [string, () => Promise<void>][] = [
    ...(tools.readsFeeds() ? [[`read ${fullName}`, readFeeds] satisfies [string, () => Promise<void>]] : []),
    [`open turns of ${fullName}`, () => checkIfDue(tools, repo.id, () => openTurns(about, repo))],
  ];
  const onFailure = (failure: Failure): void => {
    pauses.note(repo, failure);
    health.report(`repo/${repo.id}`, failure);
  };
  let complete = true;
  for (const [step, work] of steps) {
    const done = await attempt(log, { step, onFailure }, work);
    complete = done && complete;
    if (pauses.isPaused(repo.id)) return false;
  }
  return complete;
}

/** Opens the turns that are due. Returns false for a while after a rebuild, when no turn may open. */
export async function openTurns(
  tools: OpenTools & OpenFeedbackTools & RaiseTools,
  repo: Repo,
): Promise<boolean> {
  if (isInRebuildWindow(tools, repo)) return false;
  routeComments(tools, repo);
  await raiseFailures(tools, repo);
  await reportDrift(tools, repo);
  await openFeedbackTurns(tools, repo);
  await openReviewTurns(tools, repo);
  await openFixTurns(tools, repo);
  await openStartTurns(tools, repo);
  return true;
}
