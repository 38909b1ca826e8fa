import { Failure, isWithin, type Log, MERGEXO_CLI } from '@mergexo/core/basics';
import type { Health } from '@mergexo/core/health';
import { readHealth, readSnapshot, type Snapshot } from '@mergexo/state';
import type { DashboardConfig } from './config.js';
import { readFleet, startOfDay } from './facts/read-fleet.js';
import { type History, type Past, readPast, readSpending } from './facts/read-history.js';
import { readTotals } from './facts/read-totals.js';
import type { View } from './pages/fleet-page.js';
import type { RedisConnection } from './queues/create-redis-connection.js';
import { type Carrier, readCarrier } from './queues/read-carrier.js';
import type { Measured } from './render-metrics.js';

export type Reader = ReturnType<typeof createReader>;

const HISTORY_CACHE_MS = 5_000;

type Tools = { connection: RedisConnection; log: Log; now: () => number };

/** Reads SQLite and Redis for the pages. An unavailable source becomes a message instead of an error. */
export function createReader(settings: DashboardConfig, tools: Tools) {
  const { now } = tools;
  const { readState, tryState, tryQueues } = createReadFunctions(settings, tools);
  const health = createHealth(settings, now);
  const readHistory = createHistoryCache(now);

  return {
    readState,

    async readFleet(): Promise<View> {
      const seen = tryState((facts) => ({
        fleet: readFleet(facts, now()),
        history: readHistory(facts),
        health: health(facts),
      }));
      const carrier = await tryQueues();
      const problems = [
        ...(seen instanceof Failure
          ? [seen.message]
          : [...seen.health.problems, ...seen.health.warnings].map(
              ({ message, fix }) => `${message}. ${fix}`,
            )),
        ...(carrier instanceof Failure
          ? [`${carrier.message} Turns stay in SQLite until Redis is available.`]
          : []),
      ];
      const known = unlessFailed(seen);
      return {
        fleet: known?.fleet,
        history: known?.history,
        carrier: unlessFailed(carrier),
        countsWorkers: known?.health.countsWorkers ?? false,
        problems,
        now: now(),
      };
    },

    async readMetrics(): Promise<Measured> {
      const state = tryState((facts) => ({
        fleet: readFleet(facts, now()),
        totals: readTotals(facts, now()),
        health: health(facts),
      }));
      return { state: unlessFailed(state), carrier: unlessFailed(await tryQueues()) };
    },

    /** Returns the reasons why the dashboard is not ready, or an empty list. */
    async checkReadiness(): Promise<string[]> {
      const state = tryState(health);
      const carrier = await tryQueues();
      return [
        ...(state instanceof Failure
          ? ['cannot read the database']
          : state.problems.map(({ message }) => message)),
        ...(carrier instanceof Failure ? ['cannot read from Redis'] : []),
      ];
    },
  };
}

function unlessFailed<T>(value: T | Failure): T | undefined {
  return value instanceof Failure ? undefined : value;
}

/** Creates the read functions. `tryState` and `tryQueues` return a `Failure`; `readState` throws it. */
function createReadFunctions({ paths, config }: DashboardConfig, { connection, log }: Tools) {
  const { database } = paths;
  const readState = <T>(work: (facts: Snapshot) => T): T | undefined => readSnapshot(database, work);
  const toFailure = (error: unknown): Failure => {
    if (!(error instanceof Failure)) throw error;
    log.debug({ err: error }, 'read failed');
    return error;
  };
  const missing = `There is no database yet (${database}). Run \`${MERGEXO_CLI} init\`, then start the poller.`;
  return {
    readState,
    tryState<T>(work: (facts: Snapshot) => T): T | Failure {
      try {
        return readState(work) ?? new Failure('not-found', missing);
      } catch (error) {
        return toFailure(error);
      }
    },
    tryQueues: (): Promise<Carrier | Failure> =>
      readCarrier(connection, config.redis.keyPrefix).catch(toFailure),
  };
}

function createHealth({ config }: DashboardConfig, now: () => number) {
  const pollIntervalMs = config.runtime.pollIntervalSeconds * 1_000;
  const configured = config.repos.map(({ fullName }) => fullName);
  return ({ state }: Snapshot): Health => readHealth(state, { now: now(), pollIntervalMs, configured });
}

/** Caches the chart data, except spending, for a few seconds, because reading it scans many rows. */
function createHistoryCache(now: () => number) {
  let kept: { past: Past; at: number } | undefined;
  return (facts: Snapshot): History => {
    const isFresh = kept !== undefined && isWithin(HISTORY_CACHE_MS, kept.at, now());
    if (kept === undefined || !isFresh || startOfDay(now()) !== startOfDay(kept.at))
      kept = { past: readPast(facts, now()), at: now() };
    return { ...kept.past, ...readSpending(facts, kept.past.days) };
  };
}
