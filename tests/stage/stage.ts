import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerMessage } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import { createGitHub, type GitHub } from '@mergexo/github';
import { createManualClock, GITHUB_LIMITS, type Person, startTwin, type Twin } from '@mergexo/github-twin';
import {
  answerLedger,
  createCloser,
  createHolderSilence,
  createOutbox,
  createRefresh,
  linkReviewer,
  type Outbox,
  openTurns,
  pollRepo,
  type Repo,
  scheduleImplementations,
} from '@mergexo/poller';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory, patiently, ROBOT_AUTHOR } from '@mergexo/testkit';
import { createPlayedWorker, NAME, type PlayedWorker } from './played-worker.js';

export { type AgentScript, NAME, type Performance } from './played-worker.js';

export const WINDOW_MS = 60_000;
export const DEBOUNCE_MS = 5_000;
export const keys = { current: 'k'.repeat(64), older: [] };
export const SECRET = 'canary-secret-0123456789';

export type StageOptions = {
  /** Whose token we post with; `alice` is also the person who comments. */
  poster?: 'robot' | 'alice';
  /** How many runs and pull requests may be open at once. */
  room?: number;
  /** Keys of `[review]`; without them nothing is reviewed. */
  review?: string;
  /** The second login, which approves and rejects. */
  reviewer?: 'critic';
  repoKeys?: string;
};

type Common = Parameters<typeof pollRepo>[0] &
  Parameters<typeof openTurns>[0] &
  Parameters<typeof createCloser>[0] &
  Pick<Parameters<typeof createOutbox>[0], 'reviewer'>;

/** Thrown by an armed failpoint: the poller dies here. */
export class Crash extends Error {}

export type Stage = PlayedWorker & {
  twin: Twin;
  readonly state: State;
  readonly databasePath: string;
  repo: Repo;
  github: GitHub;
  /** What somebody else can do through the API. */
  openDoor(login: string): GitHub;
  alice: Person;
  tell(message: LedgerMessage): Promise<LedgerAnswer>;
  common(): Common;
  pollFeeds(): Promise<void>;
  poll(): Promise<void>;
  /** Posts what is planned, and ends the turns that have nothing left to post. */
  drain(): Promise<void>;
  /** The first half of `drain`: turns stay open. */
  speak(): Promise<void>;
  limit(limits: { maxCostUsdPerDay?: number; maxTurnsPerRun?: number; maxOpenRuns?: number }): void;
  allowWrites(perHour: number): void;
  /** As if GitHub asked to be left alone. */
  pause(ms: number): void;
  restart(): void;
  /** As if the database had been deleted. */
  loseState(): void;
  /** Copies the database; the function that it returns puts the copy back. */
  copyState(): () => void;
  advance(ms: number): void;
  close(): Promise<void>;
};

/** The poller's parts around the twin, on a clock that the test moves; the worker's part is played by the test. */
export async function createStage({
  poster = 'robot',
  room = 2,
  review = 'enabled = false',
  reviewer,
  repoKeys = '',
}: StageOptions = {}): Promise<Stage> {
  const directory = createTemporaryDirectory();
  const twin: Twin = await startTwin({
    seed: {
      users: [
        { login: 'alice' },
        { login: 'bob' },
        { login: 'mallory' },
        { login: 'robot' },
        { login: 'critic' },
        { login: 'lint[bot]' },
      ],
      repos: [
        {
          name: NAME,
          permissions: {
            robot: 'write',
            critic: 'write',
            bob: 'write',
            mallory: 'read',
            'lint[bot]': 'write',
          },
          files: { 'README.md': 'hi\n' },
          labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
        },
      ],
    },
    clock: createManualClock(),
    limits: { ...GITHUB_LIMITS, contentPerMinute: 10_000, contentPerHour: 10_000, pointsPerMinute: 100_000 },
  });
  const config = parseConfig(
    [
      `[github]\napi_url = "${twin.apiUrl}"`,
      `[limits]\nmax_open_runs = ${room}\nmax_open_prs = ${Math.max(10, room)}`,
      `[review]\n${review}`,
      `[repo.app]\nowner = "alice"\nname = "app"\n${repoKeys}`,
    ].join('\n'),
    { homeDir: directory.path },
  );
  const openDoor = (login: string): GitHub =>
    createGitHub({
      apiUrl: twin.apiUrl,
      token: async () => twin.tokens[login] ?? '',
      writable: [NAME],
      userAgent: 'test',
      throttled: false,
      timeoutMs: patiently(4_000),
      now: () => Date.now(),
      log: silentLog,
    });
  const github = openDoor(poster);
  const second = linkReviewer(reviewer && openDoor(reviewer), silentLog);
  const [repoConfig] = config.repos;
  if (repoConfig === undefined) throw new Error('no repo');
  const { id } = await github.fetchRepository(NAME);
  const repo: Repo = { id, config: repoConfig };
  const self = await github.fetchViewer();
  const secondId = await second.connect(self.id);
  const viewer = { ...self, ids: new Set(secondId === undefined ? [self.id] : [self.id, secondId]) };
  const alice: Person = twin.as('alice');
  let databases = 0;
  const databasePath = () => join(directory.path, `state-${databases}.db`);
  const openNewState = (): State => {
    databases += 1;
    const opened = openState(databasePath());
    opened.saveRepository({ id, owner: 'alice', name: 'app', defaultBranch: 'main' });
    return opened;
  };
  let state = openNewState();
  let clock = 1_000_000;
  let pauseMs = 0;
  let budget = Number.POSITIVE_INFINITY;
  let extraLimits: Parameters<Stage['limit']>[0] = {};
  const common = (): Common => ({
    state,
    github,
    keys,
    viewer,
    reviewer: second.voice,
    now: () => clock,
    monotonicNow: () => clock,
    log: silentLog,
    windowMs: WINDOW_MS,
    overlapMs: 1_000,
    debounceMs: DEBOUNCE_MS,
    limits: { ...config.limits, ...extraLimits },
    repos: () => [repo],
    redact: createRedact([SECRET]),
  });
  const newOutbox = (): Outbox =>
    createOutbox({
      ...common(),
      monotonicNow: () => clock,
      sleep: async () => {},
      spacingMs: 0,
      isStopping: () => false,
      get writesPerHour() {
        return budget;
      },
    });
  let outbox = newOutbox();
  let closeTurns = createCloser(common());
  const newSilence = () => createHolderSilence({ monotonicNow: () => clock, hearingSince: () => 0 });
  let silence = newSilence();
  const refresh = createRefresh(() => ({ ...common(), pauseMs: () => pauseMs }));
  const restart = (): void => {
    outbox = newOutbox();
    closeTurns = createCloser(common());
    silence = newSilence();
  };
  const tell = async (message: LedgerMessage): Promise<LedgerAnswer> => {
    const queue = { enqueueTurns: async () => {}, prioritiseTurns: async () => {} };
    const desk = {
      state,
      queue,
      keys,
      agentsOf: () => repo.config,
      refresh,
      author: () => ROBOT_AUTHOR,
      now: () => clock,
      log: silentLog,
    };
    for (;;) {
      try {
        return await answerLedger({ ...desk, silence }, message);
      } catch (error) {
        // A worker that gets no answer asks again, and finds a poller that has started anew.
        if (!(error instanceof Crash)) throw error;
        restart();
      }
    }
  };

  const worker = createPlayedWorker({ twin, tell, state: () => state });

  return {
    twin,
    get databasePath() {
      return databasePath();
    },
    get state() {
      return state;
    },
    repo,
    github,
    openDoor,
    alice,
    tell,
    ...worker,
    common,
    pollFeeds: async () => void (await pollRepo(common(), repo)),
    poll: async () => {
      await pollRepo(common(), repo);
      await openTurns(common(), repo);
      await scheduleImplementations(
        { ...common(), weights: config.scheduler, maxConcurrent: room, isSettlingIn: () => false },
        [repo],
      );
    },
    drain: async () => {
      await outbox.drain();
      await closeTurns();
    },
    speak: () => outbox.drain(),
    limit: (limits: typeof extraLimits) => {
      extraLimits = limits;
    },
    pause: (ms: number) => {
      pauseMs = ms;
    },
    allowWrites: (perHour: number) => {
      budget = perHour;
    },
    restart,
    loseState: () => {
      state.close();
      state = openNewState();
      restart();
    },
    copyState: () => {
      const path = databasePath();
      const replace = (from: string, to: string): void => {
        state.close();
        copyFileSync(from, to);
        state = openState(path);
        restart();
      };
      replace(path, `${path}.copy`);
      return () => replace(`${path}.copy`, path);
    },
    advance: (ms: number) => {
      clock += ms;
      twin.control.advance(ms);
    },
    async close() {
      const violations = twin.control.violations();
      await twin.stop();
      state.close();
      directory.remove();
      if (violations.length > 0) throw new Error(`the twin was misused: ${JSON.stringify(violations)}`);
    },
  };
}
