import type { Config } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { State } from '@mergexo/state';
import { attempt } from './attempt.js';
import type { Health } from './connect/health.js';
import type { Pauses } from './connect/pauses.js';
import { sweepWorkers } from './ledger/watch-workers.js';
import { isSettlingIn } from './lifecycle/database-age.js';
import { type OpenFeedbackTools, openFeedbackTurns } from './open/open-feedback-turns.js';
import { openFixTurns } from './open/open-fix-turns.js';
import { openReviewTurns } from './open/open-review-turns.js';
import { type OpenTools, openStartTurns } from './open/open-start-turns.js';
import { routeComments } from './open/route-comments.js';
import { scheduleImplementations } from './open/schedule-implementations.js';
import { pollRepo } from './poll-repo.js';
import type { GitHubLink, Repo, Self } from './tools.js';
import { type RaiseTools, raiseFailures } from './watch/raise-failures.js';
import { reportDrift } from './watch/report-drift.js';

export type PollTools = {
  state: State;
  link: GitHubLink;
  keys: SigningKeys;
  config: Config;
  now: () => number;
  log: Log;
  /** With `--once` only in the first cycle. */
  readsFeeds: () => boolean;
  /** False for a while after a start or an outage: silence then says nothing about a worker. */
  hearsWorkers: () => boolean;
  pauses: Pauses;
  health: Pick<Health, 'report'>;
};

/**
 * One cycle. Each step stands alone: what fails today is tried again in the next cycle, and the others still run. True
 * when everything that was to be read was read.
 */
export async function pollOnce(tools: PollTools): Promise<boolean> {
  const { log, link, config } = tools;
  if (tools.hearsWorkers()) await attempt(log, 'sweep workers', () => sweepWorkers(tools));
  const connected = await link.connect();
  let complete = connected?.repos.length === config.repos.length;
  for (const repo of connected?.repos ?? []) {
    const viewer = connected?.viewer;
    if (viewer === undefined || tools.pauses.isPaused(repo.id)) {
      complete = false;
      continue;
    }
    complete = (await pollOne(tools, repo, viewer)) && complete;
  }
  const viewer = connected?.viewer;
  if (connected !== undefined && viewer !== undefined)
    await attempt(log, 'schedule implementations', () => schedule(tools, viewer, connected.repos));
  return complete;
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
      weights: scheduler,
      maxConcurrent: limits.maxConcurrentImplementations ?? runtime.workerCount,
      isSettlingIn: (repo) => pauses.isPaused(repo.id) || isSettlingIn({ state, now, windowMs }, repo),
    },
    repos,
  );
}

/** One repository that GitHub holds up holds up no other. */
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
    debounceMs,
    limits,
  };
  const readFeeds = async (): Promise<void> => {
    const polled = await pollRepo(about, repo);
    health.report(`repo/${repo.id}`, polled === 'polled' ? undefined : polled);
  };
  const steps: [string, () => Promise<void>][] = [
    ...(tools.readsFeeds() ? [[`read ${fullName}`, readFeeds] satisfies [string, () => Promise<void>]] : []),
    [`open turns of ${fullName}`, () => openTurns(about, repo)],
  ];
  let complete = true;
  for (const [name, step] of steps) {
    const done = await attempt(log, name, step, (failure) => {
      pauses.note(repo, failure);
      health.report(`repo/${repo.id}`, failure);
    });
    complete = done && complete;
    if (pauses.isPaused(repo.id)) return false;
  }
  return complete;
}

export async function openTurns(
  tools: OpenTools & OpenFeedbackTools & RaiseTools,
  repo: Repo,
): Promise<void> {
  if (isSettlingIn(tools, repo)) return;
  routeComments(tools, repo);
  await raiseFailures(tools, repo);
  await reportDrift(tools, repo);
  await openFeedbackTurns(tools, repo);
  await openReviewTurns(tools, repo);
  await openFixTurns(tools, repo);
  await openStartTurns(tools, repo);
}
