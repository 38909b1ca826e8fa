import { Failure, isWithin, type Log, MERGEXO_CLI } from '@mergexo/core/basics';
import type { Health } from '@mergexo/core/health';
import { readHealth } from '@mergexo/state';
import type { DashboardConfig } from './config.js';
import { type Facts, readFacts } from './facts/read-facts.js';
import { readFleet, startOfDay } from './facts/read-fleet.js';
import { type History, type Past, readPast, readSpending } from './facts/read-history.js';
import { readTotals } from './facts/read-totals.js';
import type { View } from './pages/fleet-page.js';
import { type Carrier, readCarrier } from './queues/read-carrier.js';
import type { RedisLine } from './queues/redis-line.js';
import type { Measured } from './render-metrics.js';

export type Look = ReturnType<typeof createLook>;

/** The plots look back days and read many rows: every few seconds is often enough. */
const HISTORY_MS = 5_000;

/** Everything that is read, from SQLite and from Redis; whatever is away is said instead. */
export function createLook(
  settings: DashboardConfig,
  tools: { line: RedisLine; log: Log; now: () => number },
) {
  const { line, log, now } = tools;
  const { database } = settings.paths;
  const { keyPrefix } = settings.config.redis;
  let kept: { past: Past; at: number } | undefined;

  const readState = <T>(work: (facts: Facts) => T): T | undefined => readFacts(database, work);
  const tryCarrier = (): Promise<Carrier | Failure> => readCarrier(line, keyPrefix).catch(toFailure);
  const tryState = <T>(work: (facts: Facts) => T): T | Failure => {
    try {
      return (
        readState(work) ??
        new Failure(
          'not-found',
          `There is no database yet (${database}). Run \`${MERGEXO_CLI} init\`, then start the poller.`,
        )
      );
    } catch (error) {
      return toFailure(error);
    }
  };
  const toFailure = (error: unknown): Failure => {
    if (!(error instanceof Failure)) throw error;
    log.debug({ err: error }, 'cannot look');
    return error;
  };
  const { runtime, repos } = settings.config;
  const health = ({ state }: Facts): Health =>
    readHealth(state, {
      now: now(),
      pollIntervalMs: runtime.pollIntervalSeconds * 1_000,
      configured: repos.map(({ fullName }) => fullName),
    });
  const recall = (facts: Facts): History => {
    const isFresh = kept !== undefined && isWithin(HISTORY_MS, kept.at, now());
    if (kept === undefined || !isFresh || startOfDay(now()) !== startOfDay(kept.at))
      kept = { past: readPast(facts, now()), at: now() };
    return { ...kept.past, ...readSpending(facts, kept.past.days) };
  };

  return {
    readState,

    async atFleet(): Promise<View> {
      const seen = tryState((facts) => ({
        fleet: readFleet(facts, now()),
        history: recall(facts),
        health: health(facts),
      }));
      const carrier = await tryCarrier();
      const troubles = [
        ...(seen instanceof Failure
          ? [seen.message]
          : seen.health.problems.map(({ message, fix }) => `${message}. ${fix}`)),
        ...(carrier instanceof Failure ? [`${carrier.message} Turns stay in SQLite until it comes.`] : []),
      ];
      return {
        fleet: seen instanceof Failure ? undefined : seen.fleet,
        history: seen instanceof Failure ? undefined : seen.history,
        carrier: carrier instanceof Failure ? undefined : carrier,
        countsWorkers: !(seen instanceof Failure) && seen.health.countsWorkers,
        troubles,
        now: now(),
      };
    },

    async atFigures(): Promise<Measured> {
      const state = tryState((facts) => ({
        fleet: readFleet(facts, now()),
        totals: readTotals(facts, now()),
        health: health(facts),
      }));
      const carrier = await tryCarrier();
      return {
        state: state instanceof Failure ? undefined : state,
        carrier: carrier instanceof Failure ? undefined : carrier,
      };
    },

    /** The reasons why it is not ready; empty when everything is there. */
    async atReadiness(): Promise<string[]> {
      const state = tryState(health);
      const carrier = await tryCarrier();
      return [
        ...(state instanceof Failure
          ? ['the database cannot be read']
          : state.problems.map(({ message }) => message)),
        ...(carrier instanceof Failure ? ['Redis cannot be read'] : []),
      ];
    },
  };
}
