import type { Health, HealthReport } from '@mergexo/core/health';
import { WRITES_PER_HOUR } from '@mergexo/core/outbox';
import { ATTENTION_STAGES, countWork, type Snapshot } from '@mergexo/state';
import { nameOf } from './name-of.js';
import { type PauseNote, readPauseNotes } from './read-chrome.js';
import { type PollingPause, readPollingPauses } from './read-fleet.js';

export type RepositoryRow = {
  repo: string;
  /** The end of the last complete poll. */
  polledAt: number | null;
  /** The latest time at which the next poll starts; null if no poller is running. */
  nextPollBy: number | null;
  report: Pick<HealthReport, 'code' | 'detail' | 'since'> | undefined;
  pause: PauseNote | undefined;
  /** GitHub asked MergeXO to slow down. */
  slowdown: PollingPause | undefined;
  attention: number;
  running: number;
  queued: number;
  openPulls: number;
};
export type Repositories = ReturnType<typeof readRepositories>;

const HOUR_MS = 3_600_000;

/** Reads every repository with its last poll, and the limits of GitHub that all repositories share. */
export function readRepositories(
  facts: Snapshot,
  { health, pollIntervalMs, now }: { health: Health; pollIntervalMs: number; now: number },
) {
  const { state } = facts;
  const repositories = state.listRepositories();
  const pauses = readPauseNotes(facts);
  const slowdowns = readPollingPauses(facts, repositories, now);
  const reports = state.listHealth();
  return {
    rows: repositories.map((repository): RepositoryRow => {
      const repo = nameOf(repository);
      const counts = countWork(facts, { repoId: repository.id, isLive: true });
      const report = reports.find(({ subject }) => subject === `repo/${repository.id}`);
      const polledAt =
        health.polls.find((poll) => poll.repo === repo)?.lastCompleteAt ?? report?.okAt ?? null;
      const slowdown = slowdowns.find((one) => one.repo === repo);
      const nextPollBy = slowdown?.until ?? (polledAt === null ? now : polledAt + pollIntervalMs);
      return {
        repo,
        polledAt,
        nextPollBy: health.pollerRuns ? nextPollBy : null,
        report,
        pause: pauses.find((pause) => pause.repo === repo && pause.issue === null),
        slowdown,
        attention: ATTENTION_STAGES.reduce((sum, stage) => sum + (counts[stage] ?? 0), 0),
        running: counts.running ?? 0,
        queued: counts.queued ?? 0,
        openPulls: state.listWatchedPulls(repository.id).length,
      };
    }),
    rates: state.listRateLimits(now),
    writes: { lastHour: state.listGitHubWrites(now - HOUR_MS).length, perHour: WRITES_PER_HOUR },
  };
}
