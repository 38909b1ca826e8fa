import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Settings } from '@mergexo/config';
import { Failure, HEARTBEAT_GRACE_MS, type Log, type LogCode } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { Turn } from '@mergexo/core/turns';
import { bounded } from '@mergexo/process';
import { holdLock, openState, type State, toStateFailure } from '@mergexo/state';
import type { Fleet } from './connect/connect-fleet.js';
import { linkGitHub } from './connect/connect-github.js';
import { createHealth } from './connect/health.js';
import { openSecret } from './connect/open-secret.js';
import { createPauses } from './connect/pauses.js';
import { watchOutage } from './connect/watch-outage.js';
import { createAnswer, type Polling } from './create-answer.js';
import { carryTurns } from './ledger/queue/carry-turns.js';
import { createRejectionLog } from './ledger/rejection-log.js';
import { isInRebuildWindow } from './lifecycle/database-age.js';
import { createPruneSteps } from './lifecycle/prune-steps.js';
import { listDue } from './lifecycle/review/read-progress.js';
import { createPosting } from './outbox/create-posting.js';
import { adoptLegacyRuns } from './rebuild/adopt-legacy.js';
import { type Repeating, repeat } from './repeat.js';
import { type Cycle, repeatCycle } from './repeat-cycle.js';
import { createRhythm, toHooks } from './rhythm.js';
import { createSigning } from './signs/create-signing.js';
import { startBeating } from './start-beating.js';
import { startNotifying } from './start-notifying.js';
import { startReloading } from './start-reloading.js';
import { startTrimming } from './start-trimming.js';
import { startWorkerTokens } from './start-worker-tokens.js';
import { createWriteBudget, limitWrites } from './tools/write-budget.js';
import type { Repo } from './tools.js';
import { waitUntilIdle } from './wait-until-idle.js';
import { createNews } from './webhook/news.js';
import { createNudges } from './webhook/nudges.js';
import { startWebhook, type WebhookState } from './webhook/start-webhook.js';

const READY: LogCode = 'program_ready';

export type RunningPoller = {
  stop(): Promise<void>;
  /** Waits until nothing changes anymore. Resolves with the turns that are still open, usually none. */
  untilIdle(): Promise<Turn[]>;
};

const OUTBOX_PAUSE_MS = 1_000;
/** Short, because each round deletes only a few steps. */
const PRUNE_PAUSE_MS = 5_000;
/** Time limit for each cleanup. After that, the process exits anyway, because SQLite has all important state. */
const CLEANUP_LIMIT_MS = 5_000;

const monotonicNow = (): number => performance.now();
const now = (): number => Date.now();

/**
 * Locks the state, then polls, posts and answers workers until the poller is stopped. The parts stop in reverse order.
 * After a full disk or a bug, stops everything and then calls `onFatal` once.
 */
export async function runPoller(
  settings: Settled,
  log: Log,
  onFatal: (error: unknown) => void,
): Promise<RunningPoller> {
  const cleanups: Cleanups = [];
  const stop = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).reverse()) {
      await bounded((async () => cleanup())(), CLEANUP_LIMIT_MS);
    }
  };
  let isOver = false;
  const onError = (error: unknown): void => {
    if (isOver) return;
    isOver = true;
    void stop().then(() => onFatal(toStateFailure(error, settings.paths.database)));
  };
  try {
    return { stop, untilIdle: await start(settings, log, { cleanups, onError }) };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Cleanups = (() => unknown)[];
/** Cleanups of the poller's parts, and the handler for their errors. */
type Ending = { cleanups: Cleanups; onError: (error: unknown) => void };
type Settled = Settings & { once: boolean };

async function start(settings: Settled, fullLog: Log, ending: Ending): Promise<RunningPoller['untilIdle']> {
  const { cleanups, onError } = ending;
  const { config } = settings;
  const outage = watchOutage(fullLog, monotonicNow);
  const { log } = outage;
  const { state, keys } = openOwnState(settings, log, cleanups);
  let fleet: Fleet | undefined;
  let carrying: Repeating | undefined;
  let cycle: Cycle | undefined;
  let webhook: WebhookState | undefined;
  let stopping = false;
  const health = createHealth({ state, log, now, monotonicNow });
  const watch = startReloading(settings, { log, health }, cleanups);
  startNotifying(watch.settings, { state, log, health }, ending);
  startDeleting({ state, log, config: () => watch.settings().config }, ending);
  const pauseMs = config.runtime.pollIntervalSeconds * 1_000;
  const rhythm = createRhythm({ pauseMs, repos: config.repos.length, monotonicNow });
  const news = createNews();
  const nudges = createNudges(monotonicNow);
  const hooks = toHooks(rhythm, { hear: news.hear, wake: () => cycle?.wake() });
  const link = linkGitHub(settings, {
    ...{ state, log, keys, health, outage },
    ...hooks,
    live: () => watch.settings().config,
  });
  // Checks the login before the first heartbeat, so that a poller without a login never appears healthy.
  await link.checkLogin();
  const writing = { state, link, keys, log, now, monotonicNow, isStopping: () => stopping };
  const { posting, signing, signer } = startWriting(settings, writing, ending);
  startBeating(
    { health, log, isRedisUp: () => fleet?.watch.isUp() === true, webhook: () => webhook },
    ending,
  );
  const pauses = createPauses({ state, now, monotonicNow, log });
  const heardSince = (): number => fleet?.watch.hearingSince() ?? monotonicNow();
  const tokens = startWorkerTokens(settings, { state, keys, link, log, now, monotonicNow }, ending);
  let reads = 0;
  const polling = {
    ...{ state, link, keys, now, log, pauses, health, rhythm, tokens, sweeps: new Map() },
    get config() {
      return watch.settings().config;
    },
  };
  cycle = repeatCycle({
    ...{ nudges, news, monotonicNow, onError },
    polling: () => ({
      ...polling,
      readsFeeds: () => !settings.once || reads === 0,
      hearsWorkers: () => monotonicNow() - heardSince() > HEARTBEAT_GRACE_MS,
    }),
    onComplete: () => {
      reads += 1;
    },
    onCycle: () => {
      carrying?.wake();
      signing.wake();
    },
  });
  cleanups.push(() => cycle?.stop());
  if (!settings.once)
    webhook = await startWebhook(settings, { log, nudges, rhythm, link, nudge: cycle.nudge }, cleanups);

  ({ fleet, carrying } = await startFleet(settings, { polling, heardSince, posting }, ending));
  cleanups.push(() => {
    stopping = true;
    return cycle?.stop();
  });
  log.info({ code: READY, base_dir: config.runtime.baseDir }, 'poller is ready');
  const untilIdle = createUntilIdle(polling, () => reads > 0);
  return async () => {
    const left = await untilIdle();
    await signer.sign({ isLast: true });
    return left;
  };
}

type FleetParts = { polling: Polling; heardSince: () => number; posting: Pick<Repeating, 'wake'> };

/** Connects to Redis, serves the workers' messages and keeps the queue filled. */
async function startFleet(
  settings: Settled,
  { polling, heardSince, posting }: FleetParts,
  { cleanups, onError }: Ending,
): Promise<{ fleet: Fleet; carrying: Repeating }> {
  const { state, keys, log } = polling;
  let carrying: Repeating | undefined;
  // The import runs during the first requests to GitHub, because loading BullMQ takes as long as a request.
  const { connectFleet } = await import('./connect/connect-fleet.js');
  const fleet = await connectFleet(settings, {
    log,
    cleanups,
    monotonicNow,
    onReturn: () => carrying?.wake(),
    keys,
    onRejected: createRejectionLog({ state, now, log }),
    answer: createAnswer(polling, heardSince, {
      queue: () => carrying?.wake(),
      post: () => posting.wake(),
    }),
  });
  const { queue, watch } = fleet;
  const carry = async (): Promise<void> => {
    const { limits } = polling.config;
    if (watch.isUp()) await carryTurns({ state, queue, limits, now, monotonicNow, log });
  };
  const pauseMs = settings.config.runtime.pollIntervalSeconds * 1_000;
  carrying = repeat(carry, { pauseMs, onError });
  // Stops this loop before the Redis connection closes, because a running round would fail without Redis.
  cleanups.push(() => carrying?.stop());
  return { fleet, carrying };
}

/** Starts the loops that write to GitHub. Signs wait for posts, and posts never wait for signs. */
function startWriting(
  settings: Settled,
  tools: Omit<Parameters<typeof createPosting>[1], 'budget'>,
  { cleanups, onError }: Ending,
) {
  const { github, runtime } = settings.config;
  const writing = {
    ...tools,
    budget: createWriteBudget({ ...tools, writesPerHour: limitWrites(github.apiUrl) }),
  };
  const options = { pauseMs: Math.min(OUTBOX_PAUSE_MS, runtime.pollIntervalSeconds * 1_000), onError };
  const posting = repeat(createPosting(settings, writing), options);
  cleanups.push(() => posting.stop());
  const signer = createSigning(settings, writing);
  const signing = repeat(() => signer.sign(), options);
  cleanups.push(() => signing.stop());
  return { posting, signing, signer };
}

/** Starts the loops that delete old records. */
function startDeleting(
  { state, log, config }: { state: State; log: Log; config: () => Settings['config'] },
  { cleanups, onError }: Ending,
): void {
  const trimming = startTrimming({ state, log, now, config }, onError);
  cleanups.push(() => trimming.stop());
  const prune = createPruneSteps({ state, now, log }, config().runtime);
  const pruning = repeat(prune, { pauseMs: PRUNE_PAUSE_MS, onError });
  cleanups.push(() => pruning.stop());
}

/** Takes the lock before opening the database, so that two processes never write to it. */
function openOwnState(settings: Settings, log: Log, cleanups: Cleanups): { state: State; keys: SigningKeys } {
  const { paths, redact } = settings;
  const startedAt = new Date().toISOString();
  const lock = holdLock(paths.lock, { pid: process.pid, host: hostname(), startedAt, purpose: 'the poller' });
  cleanups.push(() => lock.release());
  const keys = openSecretOrRecord(settings);
  const state = openState(paths.database, redact);
  cleanups.push(() => state.close());
  const adopted = adoptLegacyRuns({ state, now, log });
  if (adopted > 0)
    log.info({ adopted }, 'failed runs of earlier versions now wait for a comment on their issue');
  return { state, keys };
}

function createUntilIdle(
  { state, link, config }: Polling,
  hasRead: () => boolean,
): RunningPoller['untilIdle'] {
  const { visibilityWindowSeconds, feedbackDebounceSeconds, pollIntervalSeconds } = config.runtime;
  const windowMs = visibilityWindowSeconds * 1_000;
  const someRepo = (test: (repo: Repo) => boolean) => (): boolean =>
    (link.connected()?.repos ?? []).some(test);
  return () =>
    waitUntilIdle({
      state,
      monotonicNow,
      windowMs,
      settleMs: (feedbackDebounceSeconds + 2 * pollIntervalSeconds) * 1_000,
      hasRead,
      isReviewDue: someRepo((repo) => listDue({ state }, repo).length > 0),
      isInRebuildWindow: someRepo((repo) => isInRebuildWindow({ state, now, windowMs }, repo)),
    });
}

/**
 * Opens the signing secret. Records a lost secret, so that `status` and the dashboard can report why the poller does
 * not start.
 */
function openSecretOrRecord(settings: Settings): SigningKeys {
  const { database, secret } = settings.paths;
  try {
    return openSecret(settings);
  } catch (error) {
    const isLost = (error instanceof Failure && error.kind === 'conflict') || !existsSync(secret);
    if (isLost && existsSync(database)) {
      const state = openState(database, settings.redact);
      state.saveHealth({ subject: 'poller', code: 'secret-lost', detail: null }, now());
      state.close();
    }
    throw error;
  }
}
