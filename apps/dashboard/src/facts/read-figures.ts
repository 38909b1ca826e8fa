import { isCarried } from '@mergexo/core/turns';
import { listAliveWorkers, type Snapshot } from '@mergexo/state';
import { readLiveTurns } from './read-live-turns.js';
import { readLostWorkers } from './read-lost-workers.js';
import { startOfDay } from './start-of-day.js';

/** Reads the figures above the lists of the start page. */
export function readFigures(facts: Snapshot, now: number) {
  const workers = listAliveWorkers(facts.state, { carried: readLiveTurns(facts).filter(isCarried), now });
  return {
    repositories: facts.state.listRepositories().length,
    workers: workers.length,
    lostWorkers: readLostWorkers(facts, now).length,
    busy: workers.filter(({ turns }) => turns > 0).length,
    spend: facts.state.sumSpendSince(startOfDay(now)),
  };
}
