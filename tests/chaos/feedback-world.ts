import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { armFailpoint, type Failpoint, Failure, silentLog } from '@mergexo/core/basics';
import { type LedgerAnswer, type LedgerDraft, queueTurn, requeueTurn } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import type { Turn } from '@mergexo/core/turns';
import { createGitHub, type GitHub } from '@mergexo/github';
import { createManualClock, startTwin, type Twin } from '@mergexo/github-twin';
import {
  answerLedger,
  createCloser,
  createHolderSilence,
  createOutbox,
  createRefresh,
  createReportLimit,
  createWriteBudget,
  openTurns,
  pollRepo,
  type Repo,
} from '@mergexo/poller';
import { openState, type State } from '@mergexo/state';
import { aVerifiedMessage, NO_UPLOADS, ROBOT_AUTHOR } from '@mergexo/testkit';

export const REPO = 'alice/app';
export const WINDOW_MS = 60_000;
/** GitHub's lag is shorter than the longest lag that MergeXO promises to tolerate. */
export const WORST_LAG_SECONDS = 48;
export const ALLOWED = ['alice', 'bob'];
const DEBOUNCE_MS = 5_000;
/** The twin runs in the same process, so a request over this limit is hanging, even on a busy machine. */
const TIMEOUT_MS = 4_000;
const NO_LIMITS = {
  primaryPerHour: 1e9,
  pointsPerMinute: 1e9,
  contentPerMinute: 1e9,
  contentPerHour: 1e9,
  concurrent: 1e9,
};

export const IGNORE = 'agent:ignore';
const SEED = {
  users: ['alice', 'bob', 'mallory', 'robot', 'ci[bot]'].map((login) => ({ login })),
  repos: [
    {
      name: REPO,
      permissions: {
        robot: 'write' as const,
        bob: 'write' as const,
        mallory: 'read' as const,
        'ci[bot]': 'write' as const,
      },
      files: { 'README.md': 'hi\n' },
      labels: ['agent:design', 'agent:bugfix', 'agent:small-job', IGNORE],
    },
  ],
};

export type Poster = 'robot' | 'alice';
/** A position in the twin's history, and its time. */
export type Moment = { seq: number; at: number };
export type TrackedPull = { prNumber: number; branch: string };

export type FeedbackWorld = {
  twin: Twin;
  repo: Repo;
  poster: Poster;
  /** Lag of complete lists, in seconds. The comment count lags too, because a current count would reveal the lag. */
  lag: { seconds: number };
  now(): number;
  /** Failpoints at which the poller crashed, in order. */
  crashes: string[];
  /** Times of database losses. */
  losses: readonly Moment[];
  pulls: TrackedPull[];
  /** Only the code that drives a run may read the database. The checker must not. */
  readonly state: State;
  restart(): void;
  /** Deletes the database. Only GitHub and the workers keep their data. */
  loseState(): void;
  advance(ms: number): void;
  /** Crashes the poller when it passes the failpoint for the `ordinal`-th time. */
  arm(name: Failpoint, ordinal: number): void;
  /** Ends all injected faults. */
  calm(): void;
  poll(): Promise<void>;
  drain(): Promise<void>;
  /** Returns undefined if the poller crashed before it could respond. */
  sendMessage(message: LedgerDraft): Promise<LedgerAnswer | undefined>;
  /** Lists the payloads of the jobs in Redis. */
  listJobs(): Turn[];
  /** Empties Redis. The reconciler then enqueues the next job of each turn. */
  flush(): void;
  isAtRest(): boolean;
  close(): Promise<void>;
};

/** Simulates a crash of the poller process. */
class Crash extends Error {}

/** Creates a world with this many watched pull requests. All of them are opened without faults. */
export async function createFeedbackWorld({
  poster,
  pulls,
}: {
  poster: Poster;
  pulls: number;
}): Promise<FeedbackWorld> {
  const directory = createDirectory();
  const clock = createManualClock();
  const twin = await startTwin({ seed: SEED, clock, limits: NO_LIMITS });
  try {
    const world = await createPoller({ twin, clock, directory, poster });
    for (let i = 0; i < pulls; i += 1) world.pulls.push(await openTrackedPull(world, i));
    return world;
  } catch (error) {
    await twin.stop();
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
}

/** Runs the poller's real parts with real SQLite and the twin. Only the test advances the clock. */
async function createPoller({
  twin,
  clock,
  directory,
  poster,
}: {
  twin: Twin;
  clock: ReturnType<typeof createManualClock>;
  directory: string;
  poster: Poster;
}): Promise<FeedbackWorld> {
  const config = parseConfig(
    [
      `[github]\napi_url = "${twin.apiUrl}"`,
      `[review]\nenabled = false\n[repo.app]\nowner = "alice"\nname = "app"\nallowed_users = ${JSON.stringify(ALLOWED)}`,
      '[limits]\nmax_turns_per_run = 10000\nmax_failures_per_run = 100',
    ].join('\n'),
    { homeDir: directory },
  );
  const now = (): number => clock.now();
  const lag = { seconds: 0 };
  const openDoor = (): GitHub =>
    lagBehind(
      createGitHub({
        apiUrl: twin.apiUrl,
        token: async () => twin.tokens[poster] ?? '',
        writable: [REPO],
        userAgent: 'chaos',
        throttled: false,
        timeoutMs: TIMEOUT_MS,
        now,
        log: silentLog,
      }),
      now,
      lag,
    );
  let github = openDoor();
  const [repoConfig] = config.repos;
  if (repoConfig === undefined) throw new Error('no repository is configured');
  const { id } = await github.fetchRepository(REPO);
  const repo: Repo = { id, config: repoConfig };
  const self = await github.fetchViewer();
  const viewer = { ...self, ids: new Set([self.id]) };
  const keys = { current: 'k'.repeat(64), older: [] };

  const path = join(directory, 'state.db');
  const open = (): State => {
    const opened = openState(path);
    opened.saveRepository({ id, owner: 'alice', name: 'app', defaultBranch: 'main' });
    return opened;
  };
  let state: State = open();
  let sweeps: Parameters<typeof pollRepo>[0]['sweeps'] = new Map();
  const common = () => ({
    state,
    sweeps,
    github,
    keys,
    viewer,
    reviewer: () => undefined,
    now,
    log: silentLog,
    windowMs: WINDOW_MS,
    recentMs: 2_000,
    overlapMs: WINDOW_MS,
    debounceMs: DEBOUNCE_MS,
    limits: config.limits,
    redact: createRedact([]),
    repos: () => [repo],
  });
  const startProcess = () => {
    const since = now();
    github = openDoor();
    sweeps = new Map();
    return {
      closeTurns: createCloser({ ...common(), monotonicNow: now }),
      outbox: createOutbox({
        ...common(),
        monotonicNow: now,
        sleep: async () => {},
        spacingMs: 0,
        budget: createWriteBudget({
          state,
          writesPerHour: () => Number.POSITIVE_INFINITY,
          now,
          monotonicNow: now,
        }),
        isStopping: () => false,
      }),
      silence: createHolderSilence({ monotonicNow: now, hearingSince: () => since }),
      mayReport: createReportLimit(now),
      refresh: createRefresh(() => ({ ...common(), pauseMs: () => 0 })),
      author: () => ROBOT_AUTHOR,
      uploads: NO_UPLOADS,
    };
  };
  let process = startProcess();
  const restart = (): void => {
    state.close();
    state = open();
    process = startProcess();
  };
  const losses: Moment[] = [];

  let isArmed = false;
  const crashes: string[] = [];
  /** Returns false if the poller crashed and was restarted. Ignores GitHub failures, because the poller retries. */
  const live = async (work: () => Promise<unknown>): Promise<boolean> => {
    try {
      await work();
    } catch (error) {
      if (error instanceof Crash) {
        crashes.push(error.message);
        restart();
        return false;
      }
      if (!(error instanceof Failure)) throw error;
    }
    return true;
  };

  const world: FeedbackWorld = {
    twin,
    repo,
    poster,
    lag,
    now,
    crashes,
    pulls: [],
    get state(): State {
      return state;
    },
    losses,
    restart,
    loseState(): void {
      losses.push({ seq: twin.history.list().at(-1)?.seq ?? 0, at: now() });
      state.close();
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      state = open();
      process = startProcess();
    },
    advance: (ms: number): void => void twin.control.advance(ms),
    arm(name: Failpoint, ordinal: number): void {
      isArmed = true;
      armFailpoint(`${name}#${ordinal}`, () => {
        if (!isArmed) return;
        isArmed = false;
        throw new Crash(name);
      });
    },
    calm(): void {
      isArmed = false;
      lag.seconds = 0;
      twin.control.clearFaults();
    },
    async poll(): Promise<void> {
      if (!(await live(() => pollRepo(common(), repo)))) return;
      await live(() => openTurns(common(), repo));
    },
    async drain(): Promise<void> {
      await live(async () => {
        await process.outbox.drain();
        await process.closeTurns();
      });
    },
    async sendMessage(message: LedgerDraft): Promise<LedgerAnswer | undefined> {
      let answer: LedgerAnswer | undefined;
      const { silence, mayReport, refresh, author, uploads } = process;
      const desk = {
        state,
        queue: { enqueueTurns: async () => {}, prioritiseTurns: async () => {} },
        silence,
        mayReport,
        billing: { limits: () => ({}), prices: () => new Map() },
        keys,
        agentsOf: () => repo.config,
        refresh,
        author,
        uploads,
        now,
        log: silentLog,
      };
      await live(async () => {
        answer = await answerLedger(desk, aVerifiedMessage(message, state.readTurn, keys.current));
      });
      return answer;
    },
    listJobs(): Turn[] {
      for (const turn of state.listTurnsInState('open')) state.saveTurn(queueTurn(turn) ?? turn);
      return (['queued', 'running', 'frozen'] as const).flatMap((name) => state.listTurnsInState(name));
    },
    flush(): void {
      for (const turn of world.listJobs())
        state.saveTurn(requeueTurn(turn, { kind: 'missing' }, now()) ?? turn);
    },
    isAtRest(): boolean {
      const live = ['open', 'queued', 'running', 'frozen', 'speaking'] as const;
      return (
        live.every((name) => state.listTurnsInState(name).length === 0) &&
        state.listUnsettledActions().length === 0 &&
        state
          .listWatchedPulls(repo.id)
          .every(({ prNumber }) => state.listUnclaimedEvents(repo.id, prNumber).length === 0)
      );
    },
    async close(): Promise<void> {
      isArmed = false;
      await twin.stop();
      state.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  return world;
}

/**
 * Uses an in-memory file system if available, because disk writes would take most of the time and no run
 * needs to survive a power failure.
 */
function createDirectory(): string {
  const base = existsSync('/dev/shm') ? '/dev/shm' : realpathSync(tmpdir());
  return mkdtempSync(join(base, 'mx-'));
}

/** Turns a labeled issue into a watched pull request, without faults. */
async function openTrackedPull(world: FeedbackWorld, index: number): Promise<TrackedPull> {
  const { twin, state } = world;
  await twin.as('alice').openIssue(REPO, { title: `Broken ${index}`, body: 'x', labels: ['agent:bugfix'] });
  world.advance(1_000);
  await world.poll();
  const [turn] = world.listJobs();
  if (turn?.runId == null) throw new Error('no start was opened');
  const { turnKey, epoch, runId } = turn;
  const begun = await world.sendMessage({
    kind: 'begin',
    requestId: `w@start-${index}`,
    turnKey,
    epoch,
    workerId: 'w',
  });
  if (begun?.kind !== 'begun') throw new Error(`the start did not begin: ${JSON.stringify(begun)}`);
  const branch = state.readRun(runId)?.branch ?? '';
  const sha = await twin.as('robot').pushFiles(REPO, branch, { 'fix.txt': 'one\ntwo\nthree\nfour\n' });
  const { attempt } = begun;
  const plan = {
    version: 1 as const,
    session: { adapter: 'command', threadId: 't' },
    commit: { branch, startSha: 'e'.repeat(40), sha },
    result: { kind: 'pull' as const, title: `Fix it ${index}`, summary: 'Fixed.', design: null },
    stateSummary: '',
    usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
  };
  await world.sendMessage({
    kind: 'freeze',
    turnKey,
    attempt,
    parcel: { plan, bundle: 'AAAA' },
    finished: false,
  });
  await world.sendMessage({ kind: 'finish', turnKey, attempt, outcome: 'pushed', reason: null });
  const findPull = (): number | null => state.readRun(runId)?.prNumber ?? null;
  await world.drain();
  for (let i = 0; i < 2 && findPull() === null; i += 1) {
    world.advance(WINDOW_MS + 1_000);
    await world.drain();
  }
  const prNumber = findPull();
  if (prNumber === null) throw new Error('no pull request was opened');
  world.advance(1_000);
  await world.poll();
  return { prNumber, branch };
}

function lagBehind(door: GitHub, now: () => number, lag: { seconds: number }): GitHub {
  const isOld = ({ createdAt }: { createdAt: string }): boolean =>
    Date.parse(createdAt) <= now() - lag.seconds * 1_000;
  return {
    ...door,
    fetchThread: async (name, number) => {
      const { issue, comments } = await door.fetchThread(name, number);
      return { issue, comments: comments.filter(isOld) };
    },
    refreshThread: async (name, number, maxAgeMs) => {
      const { issue, comments } = await door.refreshThread(name, number, maxAgeMs);
      return { issue, comments: comments.filter(isOld) };
    },
    fetchReviewComments: async (name, number) => {
      const { pull, comments } = await door.fetchReviewComments(name, number);
      return { pull, comments: comments.filter(isOld) };
    },
    refreshPull: async (name, number, how) => {
      const thread = await door.refreshPull(name, number, how);
      const conversation = thread.conversation.filter(isOld);
      return { ...thread, conversation, reviewComments: thread.reviewComments.filter(isOld) };
    },
  };
}
