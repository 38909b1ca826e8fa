import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Settings } from '@mergexo/config';
import { Failure, HEARING_MS, type Log, type LogCode } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import { buildCommitAuthor, type CommitAuthor } from '@mergexo/core/runs';
import { createRedact } from '@mergexo/core/text';
import type { Turn } from '@mergexo/core/turns';
import { bounded } from '@mergexo/queue';
import { holdLock, isDiskTrouble, openState, toStateFailure } from '@mergexo/state';
import { connectFleet, type Fleet } from './connect/connect-fleet.js';
import { linkGitHub } from './connect/connect-github.js';
import { createHealth } from './connect/health.js';
import { openSecret } from './connect/open-secret.js';
import { createPauses } from './connect/pauses.js';
import { watchOutage } from './connect/watch-outage.js';
import { createRefresh } from './create-refresh.js';
import { pollOnce } from './cycle.js';
import { answerLedger } from './ledger/answer-ledger.js';
import { carryTurns } from './ledger/carry-turns.js';
import { createHolderSilence } from './ledger/holder-silence.js';
import { createAgentsOf } from './lifecycle/agent-limits.js';
import { isSettlingIn } from './lifecycle/database-age.js';
import { listDue } from './lifecycle/review/read-progress.js';
import { createPosting } from './outbox/create-posting.js';
import { adoptLegacyRuns } from './rebuild/adopt-legacy.js';
import { type Repeating, repeat } from './repeat.js';
import { waitUntilIdle } from './wait-until-idle.js';

const READY: LogCode = 'program_ready';

export type RunningPoller = {
  stop(): Promise<void>;
  /** What is left when nothing more can be done within a window: usually nothing. */
  untilIdle(): Promise<Turn[]>;
};

const OUTBOX_PAUSE_MS = 1_000;
const BEAT_PAUSE_MS = 1_000;
/** Everything that counts is in SQLite: a part that cannot be closed in time is left to the end of the process. */
const CLEANUP_LIMIT_MS = 5_000;

const monotonicNow = (): number => performance.now();
const now = (): number => Date.now();

/**
 * Takes the state, polls, speaks and answers the ledger until it is stopped. Undoes what it began in reverse order.
 * `onFatal` is called once, after the stop, when the poller cannot go on: with a full disk, or by a bug.
 */
export async function runPoller(
  settings: Settings & { once: boolean },
  log: Log,
  onFatal: (error: unknown) => void,
): Promise<RunningPoller> {
  const cleanups: (() => unknown)[] = [];
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

async function start(
  settings: Settings & { once: boolean },
  fullLog: Log,
  { cleanups, onError }: { cleanups: (() => unknown)[]; onError: (error: unknown) => void },
): Promise<RunningPoller['untilIdle']> {
  const { paths, config } = settings;
  const outage = watchOutage(fullLog, monotonicNow);
  const { log } = outage;
  const startedAt = new Date().toISOString();
  const lock = holdLock(paths.lock, { pid: process.pid, host: hostname(), startedAt, purpose: 'the poller' });
  cleanups.push(() => lock.release());
  const keys = openSecretOrRecord(settings);
  const state = openState(paths.database, createRedact([...settings.secrets, keys.current, ...keys.older]));
  cleanups.push(() => state.close());
  const adopted = adoptLegacyRuns({ state, now, log });
  if (adopted > 0)
    log.info({ adopted }, 'failed runs of earlier versions wait for a comment on their issue now');

  let fleet: Fleet | undefined;
  let stopping = false;
  const isStopping = (): boolean => stopping;
  const health = createHealth({ state, now, monotonicNow });
  const link = linkGitHub(settings, { state, log, keys, health, outage });
  // Before the first heartbeat: a poller without a login must not look healthy until its first request.
  await link.checkLogin();
  const pauseMs = config.runtime.pollIntervalSeconds * 1_000;
  const speaking = repeat(
    createPosting(settings, { state, link, keys, log, now, monotonicNow, isStopping }),
    { pauseMs: Math.min(OUTBOX_PAUSE_MS, pauseMs), onError },
  );
  cleanups.push(() => speaking.stop());
  const beating = repeat(
    async () => {
      health.report('redis', fleet?.watch.isUp() === true ? undefined : 'unreachable');
      try {
        health.beat();
      } catch (error) {
        if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
        log.warn({ err: error }, 'the health record was not written');
      }
    },
    { pauseMs: BEAT_PAUSE_MS, onError },
  );
  cleanups.push(async () => {
    await beating.stop();
    health.stop();
  });
  const pauses = createPauses({ state, now, monotonicNow, log });
  const heardSince = (): number => fleet?.watch.hearingSince() ?? monotonicNow();
  let reads = 0;
  let carrying: Repeating | undefined;
  const cycle = repeat(
    async () => {
      const complete = await pollOnce({
        state,
        link,
        keys,
        config,
        now,
        log,
        readsFeeds: () => !settings.once || reads === 0,
        pauses,
        health,
        hearsWorkers: () => monotonicNow() - heardSince() > HEARING_MS,
      });
      if (complete) reads += 1;
      carrying?.wake();
    },
    { pauseMs, onError },
  );
  cleanups.push(() => cycle.stop());

  const windowMs = config.runtime.visibilityWindowSeconds * 1_000;
  const refresh = createRefresh(() => {
    const connected = link.connected();
    if (connected === undefined) return undefined;
    const { viewer } = connected;
    const { github } = link;
    const { limits } = config;
    const repos = () => connected.repos;
    return { state, github, keys, viewer, repos, now, windowMs, limits, pauseMs: pauses.leftMs, log };
  });
  const author = (): CommitAuthor | undefined =>
    buildCommitAuthor(link.connected()?.viewer, config.github.apiUrl, config.github);
  const agentsOf = createAgentsOf(state, config.repos);
  const silence = createHolderSilence({ monotonicNow, hearingSince: heardSince });
  fleet = await connectFleet(settings, {
    log,
    cleanups,
    monotonicNow,
    onReturn: () => carrying?.wake(),
    async answer(message, queue) {
      const answered = await answerLedger(
        { state, queue, silence, keys, agentsOf, refresh, author, now, log },
        message,
      );
      // A retry that an operator asked for needs its job now.
      if (answered.kind === 'reset') carrying?.wake();
      return answered;
    },
  });
  const { queue, watch } = fleet;
  carrying = repeat(
    async () => {
      if (watch.isUp()) await carryTurns({ state, queue, limits: config.limits, now, monotonicNow, log });
    },
    { pauseMs, onError },
  );
  // Before the way to Redis closes: a round that lists jobs meanwhile would complain.
  cleanups.push(() => carrying?.stop());
  cleanups.push(() => {
    stopping = true;
    return cycle.stop();
  });
  log.info({ code: READY, base_dir: config.runtime.baseDir }, 'poller is ready');
  const settleMs = config.runtime.feedbackDebounceSeconds * 1_000 + 2 * pauseMs;
  return () =>
    waitUntilIdle({
      state,
      monotonicNow,
      windowMs,
      settleMs,
      hasRead: () => reads > 0,
      isReviewDue: () => (link.connected()?.repos ?? []).some((repo) => listDue({ state }, repo).length > 0),
      isSettlingIn: () =>
        (link.connected()?.repos ?? []).some((repo) => isSettlingIn({ state, now, windowMs }, repo)),
    });
}

/** `status` and the dashboard name a lost secret also when it keeps the poller from starting. */
function openSecretOrRecord(settings: Settings): SigningKeys {
  const { database, secret } = settings.paths;
  try {
    return openSecret(settings);
  } catch (error) {
    const isLost = (error instanceof Failure && error.kind === 'conflict') || !existsSync(secret);
    if (isLost && existsSync(database)) {
      const state = openState(database, createRedact(settings.secrets));
      state.saveHealth({ subject: 'poller', code: 'secret-lost', detail: null }, now());
      state.close();
    }
    throw error;
  }
}
