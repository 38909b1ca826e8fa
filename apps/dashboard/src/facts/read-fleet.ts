import { isCarried } from '@mergexo/core/turns';
import { listAliveWorkers, type Repository, type Snapshot } from '@mergexo/state';
import { nameOf } from './name-of.js';
import { readBlocked } from './read-blocked.js';
import { readLiveTurns } from './read-live-turns.js';
import { DAY_MS, startOfDay } from './start-of-day.js';

export type Fleet = ReturnType<typeof readFleet>;

/** Reads the figures about the whole fleet that the metrics need. */
export function readFleet(facts: Snapshot, now: number) {
  const { state } = facts;
  const repositories = state.listRepositories();
  const carried = readLiveTurns(facts).filter(isCarried);
  return {
    blocked: repositories.flatMap((repository) => readBlocked(facts, repository)),
    workers: listAliveWorkers(state, { carried, now }),
    spend: state.sumSpendSince(startOfDay(now)),
    pauses: readPollingPauses(facts, repositories, now),
  };
}

export type PollingPause = { repo: string; until: number; reason: string };

/** Lists the repositories for which GitHub asked MergeXO to slow down. */
export function readPollingPauses(
  { sqlite }: Pick<Snapshot, 'sqlite'>,
  repositories: readonly Repository[],
  now: number,
): PollingPause[] {
  const rows = sqlite
    .prepare<[number], { repoId: number; until: number; reason: string | null }>(
      `select repo_id as repoId, json_extract(payload_json, '$.reason') as reason,
         max(created_at + 1000 * json_extract(payload_json, '$.seconds')) as until
       from runtime_events where event_type = 'polling_paused' and created_at > ? group by repo_id`,
    )
    .all(now - DAY_MS);
  return rows.flatMap(({ repoId, until, reason }) => {
    const repository = repositories.find(({ id }) => id === repoId);
    if (repository === undefined || until <= now) return [];
    return [{ repo: nameOf(repository), until, reason: reason ?? 'GitHub asked MergeXO to slow down' }];
  });
}
