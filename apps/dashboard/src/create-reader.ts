import { Failure, type Log, MERGEXO_CLI } from '@mergexo/core/basics';
import type { Health } from '@mergexo/core/health';
import { redactStrings } from '@mergexo/core/text';
import { readHealth, readSnapshot, type Snapshot } from '@mergexo/state';
import type { DashboardConfig } from './config.js';
import { type Chrome, readChrome } from './facts/read-chrome.js';
import { readFleet } from './facts/read-fleet.js';
import { readTotals } from './facts/read-totals.js';
import type { RedisConnection } from './queues/create-redis-connection.js';
import { type Carrier, readCarrier } from './queues/read-carrier.js';
import type { Measured } from './render-metrics.js';

export type Reader = ReturnType<typeof createReader>;
/** The facts of a page; undefined if the database cannot be read. The chrome then says why. */
export type PageFacts<T> = { chrome: Chrome; data: T | undefined };

type Tools = { connection: RedisConnection; log: Log; now: () => number };

/** Reads SQLite and Redis for the pages. An unavailable source becomes a message instead of an error. */
export function createReader(settings: DashboardConfig, tools: Tools) {
  const { now } = tools;
  const { readState, tryState, tryQueues } = createReadFunctions(settings, tools);
  const pollIntervalMs = settings.config.runtime.pollIntervalSeconds * 1_000;
  const health = createHealth(settings, { now, pollIntervalMs });

  return {
    now,
    /** The longest pause between two polls. */
    pollIntervalMs,

    /**
     * Reads facts; undefined without a database. Redacts them before a page cuts the texts, because half a secret would
     * not be recognized.
     */
    readState<T>(work: (facts: Snapshot) => T): T | undefined {
      const read = readState((facts) => ({ answer: work(facts) }));
      return read && redactStrings(read, settings.redact).answer;
    },

    /** Reads the facts of a page, and redacts them like `readState`. */
    readPage<T>(work: (facts: Snapshot, health: Health) => T): PageFacts<T> {
      const seen = tryState((facts) => {
        const known = health(facts);
        return { chrome: readChrome(facts, { now: now(), health: known }), data: work(facts, known) };
      });
      if (!(seen instanceof Failure)) return redactStrings(seen, settings.redact);
      const chrome = { now: now(), attention: 0, running: 0, pauses: [], problems: [seen.message] };
      return { chrome, data: undefined };
    },

    /** Returns why Redis cannot be read, or undefined. */
    async findQueueProblem(): Promise<string | undefined> {
      const carrier = await tryQueues();
      if (!(carrier instanceof Failure)) return undefined;
      return `Redis unavailable: ${carrier.message} Turns stay in SQLite until Redis is available.`;
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

function createHealth(
  { config }: DashboardConfig,
  { now, pollIntervalMs }: { now: () => number; pollIntervalMs: number },
) {
  const configured = config.repos.map(({ fullName }) => fullName);
  return ({ state }: Snapshot): Health => readHealth(state, { now: now(), pollIntervalMs, configured });
}
