import type { Settings } from '@mergexo/config';
import { HEARTBEAT_GRACE_MS } from '@mergexo/core/basics';
import {
  carryTurns,
  createAnswer,
  createHealth,
  createNews,
  createNudges,
  createPauses,
  createPosting,
  createRhythm,
  createSigning,
  createWriteBudget,
  limitWrites,
  linkGitHub,
  repeat,
  repeatCycle,
  toHooks,
} from '@mergexo/poller';
import type { TurnQueue } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import { SECRET } from './constants.js';
import type { LedgerLine } from './ledger-line.js';
import { type Life, runIn, startLife } from './lives.js';
import type { WorldLog } from './world-log.js';

type Fetch = NonNullable<Parameters<typeof linkGitHub>[1]['fetch']>;

export type PollerParts = {
  settings: Settings;
  state: (life: Life) => State;
  fetch: Fetch;
  queue: TurnQueue;
  ledger: LedgerLine;
  isRedisCut: () => boolean;
  log: WorldLog;
  /** Called for an error that ends a loop, such as a full disk or a bug. */
  onError(life: Life, error: unknown): void;
};

export type SimulatedPoller = {
  life: Life;
  state: State;
  /** Polls at once. */
  wake(): void;
  /** A delivery of GitHub's webhook arrives. */
  hearDelivery(): void;
};

const now = (): number => Date.now();
const monotonicNow = (): number => performance.now();
/** Longer than in production, because new work wakes the outbox anyway. */
const OUTBOX_PAUSE_MS = 4_000;
/** Without a webhook, an active poller polls every 5 s in production. */
const MIN_PAUSE_MS = 10_000;

/** Starts a poller process from the parts of `runPoller`, around simulated GitHub, Redis and SQLite. */
export function startPoller(parts: PollerParts): SimulatedPoller {
  const life = startLife('poller');
  return runIn(life, () => start(parts, life));
}

function start(parts: PollerParts, life: Life): SimulatedPoller {
  const { settings, log } = parts;
  const { config } = settings;
  const state = parts.state(life);
  const onError = (error: unknown): void => parts.onError(life, error);
  const keys = { current: SECRET, older: [] };
  const pauseMs = config.runtime.pollIntervalSeconds * 1_000;
  const usual = createRhythm({ pauseMs, repos: config.repos.length, monotonicNow });
  const rhythm = { ...usual, pauseMs: () => Math.max(MIN_PAUSE_MS, usual.pauseMs()) };
  const news = createNews();
  const nudges = createNudges(monotonicNow);
  const health = createHealth({ state, log, now, monotonicNow });
  const startedAt = monotonicNow();
  let cycle: ReturnType<typeof repeatCycle> | undefined;
  const hooks = toHooks(rhythm, { hear: news.hear, wake: () => cycle?.wake() });
  const link = linkGitHub(settings, { state, log, keys, health, ...hooks, fetch: parts.fetch });
  const budget = createWriteBudget({
    state,
    writesPerHour: limitWrites(config.github.apiUrl),
    now,
    monotonicNow,
  });
  const writing = { state, link, keys, log, now, monotonicNow, isStopping: () => false, budget };
  const options = { pauseMs: OUTBOX_PAUSE_MS, onError };
  const posting = repeat(createPosting(settings, writing), options);
  const signer = createSigning(settings, writing);
  const signing = repeat(() => signer.sign(), options);
  repeat(async () => health.beat(), { pauseMs: OUTBOX_PAUSE_MS, onError });
  const pauses = createPauses({ state, now, monotonicNow, log });
  const polling = { state, link, keys, now, log, pauses, health, rhythm, sweeps: new Map(), config };
  const carry = async (): Promise<void> => {
    if (parts.isRedisCut()) return;
    await carryTurns({ state, queue: parts.queue, limits: config.limits, now, monotonicNow, log });
  };
  const carrying = repeat(carry, { pauseMs, onError });
  cycle = repeatCycle({
    ...{ nudges, news, monotonicNow, onError },
    polling: () => ({
      ...polling,
      readsFeeds: () => true,
      hearsWorkers: () => monotonicNow() - startedAt > HEARTBEAT_GRACE_MS,
    }),
    onComplete: () => {},
    onCycle: () => {
      carrying.wake();
      signing.wake();
    },
  });
  const wake = { queue: () => carrying.wake(), post: () => posting.wake() };
  const answer = createAnswer(polling, () => startedAt, wake);
  parts.ledger.serve({ life, answer: (verified) => answer(verified, parts.queue) });
  return {
    life,
    state,
    wake: () => life.isAlive && runIn(life, () => cycle?.wake()),
    hearDelivery() {
      const repo = link.connected()?.repos[0];
      if (!life.isAlive || repo === undefined) return;
      runIn(life, () => {
        rhythm.noteDelivery();
        nudges.note(repo.id);
        cycle?.nudge();
      });
    },
  };
}
