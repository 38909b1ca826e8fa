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
/** True when everything that was to be read was read. */
export async function pollOnce(tools: PollTools): Promise<boolean> {
  const { log, link, config } = tools;
  if (tools.hearsWorkers()) await attempt(log, 'sweep workers', () => sweepWorkers(tools));
  const repos = (await link.connect())?.repos ?? [];
  let complete = repos.length === config.repos.length;
  for (const repo of repos) {
    const { fullName } = repo.config;
    if (tools.readsFeeds()) {
      const intake = {
        ...tools,
        github: link.github,
        overlapMs: config.runtime.visibilityWindowSeconds * 1_000,
      };
      complete = (await attempt(log, `read ${fullName}`, () => pollRepo(intake, repo))) && complete;
    }
    const opening = { ...tools, github: link.github, limits: config.limits };
    complete =
      (await attempt(log, `open turns of ${fullName}`, () => openStartTurns(opening, repo))) && complete;
  }
  const { queue } = tools;
  if (queue === undefined) return false;
  await attempt(log, 'queue open turns', () => queueOpenTurns({ ...tools, queue }));
  await attempt(log, 'reconcile', () => reconcile({ ...tools, queue }));
  return complete;
}

async function attempt(log: Log, step: string, work: () => unknown): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Failure || isSqliteError(error))) throw error;
    log.warn({ step, err: error }, 'a step of the poll cycle failed');
    return false;
  }
}
