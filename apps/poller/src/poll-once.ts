import type { Config } from '@mergexo/config';
import { Failure, type Log, type SigningKeys } from '@mergexo/core';
import type { TurnQueue } from '@mergexo/queue';
import { isSqliteError, type State } from '@mergexo/state';
import type { GitHubLink } from './connect-github.js';
import { openStartTurns } from './intake/open-start-turns.js';
import { pollRepo } from './intake/poll-repo.js';
import { queueOpenTurns } from './queue-open-turns.js';
import { reconcile } from './reconcile.js';
import { sweepWorkers } from './watch-workers.js';

export type PollTools = {
  state: State;
  /** Undefined while Redis is away. */
  queue: TurnQueue | undefined;
  link: GitHubLink;
  keys: SigningKeys;
  config: Config;
  now: () => number;
  log: Log;
  /** With `--once` only in the first cycle. */
  readsFeeds: () => boolean;
  /** False for a while after a start or an outage: silence then says nothing about a worker. */
  hearsWorkers: () => boolean;
};

/** One cycle. Each step stands alone: what fails today is tried again in the next cycle, and the others still run. */
export async function pollOnce(tools: PollTools): Promise<void> {
  const { log, link, config } = tools;
  if (tools.hearsWorkers()) await attempt(log, 'sweep workers', () => sweepWorkers(tools));
  const connected = await link.connect();
  const repos = tools.readsFeeds() ? (connected?.repos ?? []) : [];
  for (const repo of repos) {
    const intake = {
      ...tools,
      github: link.github,
      overlapMs: config.runtime.visibilityWindowSeconds * 1_000,
    };
    await attempt(log, `read ${repo.config.fullName}`, () => pollRepo(intake, repo));
    const opening = { ...tools, github: link.github, limits: config.limits };
    await attempt(log, `open turns of ${repo.config.fullName}`, () => openStartTurns(opening, repo));
  }
  const { queue } = tools;
  if (queue === undefined) return;
  await attempt(log, 'queue open turns', () => queueOpenTurns({ ...tools, queue }));
  await attempt(log, 'reconcile', () => reconcile({ ...tools, queue }));
}

async function attempt(log: Log, step: string, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure || isSqliteError(error))) throw error;
    log.warn({ step, err: error }, 'a step of the poll cycle failed');
  }
}
