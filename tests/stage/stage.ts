import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, LedgerDraft } from '@mergexo/core/ledger';
import { createRedact } from '@mergexo/core/text';
import { createGitHub, type GitHub } from '@mergexo/github';
import { createManualClock, type Person, startTwin, type Twin } from '@mergexo/github-twin';
import {
  answerLedger,
  createCloser,
  createHolderSilence,
  createOutbox,
  createRefresh,
  createReportLimit,
  createSigner,
  createUploads,
  createWorkerTokens,
  createWriteBudget,
  expectVersions,
  linkReviewer,
  type Outbox,
  openTurns,
  pollRepo,
  type Repo,
  type Signer,
  scheduleImplementations,
} from '@mergexo/poller';
import { openState, type State } from '@mergexo/state';
import { aVerifiedMessage, createTemporaryDirectory, patiently, ROBOT_AUTHOR } from '@mergexo/testkit';
import { createPlayedWorker, NAME, type PlayedWorker } from './played-worker.js';
import { APP_BOT, logInAsApp, seedApp } from './stage-app.js';

export { type AgentScript, NAME, type Performance } from './played-worker.js';

export const WINDOW_MS = 60_000;
export const DEBOUNCE_MS = 5_000;
export const SETTLE_MS = 30_000;
export const keys = { current: 'k'.repeat(64), older: [] };
export const SECRET = 'canary-secret-0123456789';

export type Poster = 'robot' | 'alice' | typeof APP_BOT;

export type StageOptions = {
  /** Account of MergeXO's token. With `alice`, MergeXO shares its login with the person who comments. */
  poster?: Poster;
  /** Installs a GitHub App, whose bot can be the poster. */
  app?: boolean;
  /** Maximum number of open runs, and of implementations that run at the same time. */
  room?: number;
  /** Keys of `[review]`. By default, reviews are disabled. */
  review?: string;
  /** The reviewer's login, which approves and rejects pull requests. */
  reviewer?: 'critic';
  repoKeys?: string;
  /** Repositories that MergeXO does not work on, with the permission of MergeXO's account. */
  otherRepos?: { name: string; robot?: 'read' }[];
  /** Maximum age of GitHub responses that may open or begin a turn. By default, every step reads GitHub again. */
  recentMs?: number;
};

type Common = Parameters<typeof pollRepo>[0] &
  Parameters<typeof openTurns>[0] &
  Parameters<typeof createCloser>[0] &
  Pick<Parameters<typeof createOutbox>[0], 'reviewer'>;

/** Thrown by an armed failpoint to simulate a crash of the poller. */
export class Crash extends Error {}

export type Stage = PlayedWorker & {
  twin: Twin;
  readonly state: State;
  readonly databasePath: string;
  repo: Repo;
  github: GitHub;
  /** Creates an API client with the login of another person. */
  openDoor(login: string): GitHub;
  alice: Person;
  tell(message: LedgerDraft): Promise<LedgerAnswer>;
  common(): Common;
  pollFeeds(): Promise<void>;
  poll(): Promise<void>;
  /** Posts the planned actions, and ends the turns that have no actions left. */
  drain(): Promise<void>;
  /** Posts the planned actions like `drain`, but does not end turns. */
  speak(): Promise<void>;
  /** Sends the reactions and status comments that changed. */
  sign(): Promise<void>;
  limit(limits: { maxCostUsdPerDay?: number; maxTurnsPerRun?: number; maxOpenRuns?: number }): void;
  allowWrites(perHour: number): void;
  /** Simulates a rate limit by GitHub. */
  pause(ms: number): void;
  restart(): void;
  /** Restarts the poller with another login. */
  switchTo(poster: Poster): Promise<void>;
  /** Revokes the tokens of workers whose turn is over. Requires an App. */
  revokeTokens(): Promise<void>;
  /** Runs the work after each restart, before the poller answers a worker or reads GitHub again. */
  onRestart(work: () => void): void;
  /** Simulates a deleted database. */
  loseState(): void;
  /** Copies the database, and returns a function that restores the copy. */
  copyState(): () => void;
  advance(ms: number): void;
  close(): Promise<void>;
};

/** Runs the poller's parts around the twin, on a clock that the test moves. The test plays the worker. */
export async function createStage({
  poster: firstPoster = 'robot',
  app = false,
  room = 2,
  review = 'enabled = false',
  reviewer,
  repoKeys = '',
  otherRepos = [],
  recentMs = 0,
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
      apps: app ? [seedApp()] : [],
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
        ...otherRepos.map(({ name, robot }) => ({ name, permissions: robot ? { robot } : {} })),
      ],
    },
    clock: createManualClock(),
    limits: { contentPerMinute: 10_000, contentPerHour: 10_000, pointsPerMinute: 100_000 },
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
  let clock = twin.world.clock.now();
  let poster = firstPoster;
  const appLogin = app ? logInAsApp(twin, () => clock) : undefined;
  const openDoor = (login: string): GitHub =>
    createGitHub({
      apiUrl: twin.apiUrl,
      token: async (name = NAME) =>
        login === APP_BOT ? (appLogin?.token(name) ?? '') : (twin.tokens[login] ?? ''),
      writable: [NAME],
      userAgent: 'test',
      throttled: false,
      timeoutMs: patiently(4_000),
      now: () => clock,
      log: silentLog,
    });
  const github = openDoor(poster);
  /** The poller's GitHub client, which loses its cache when the poller restarts. */
  let ownDoor = openDoor(poster);
  const secondDoor = reviewer && openDoor(reviewer);
  const second = linkReviewer(
    secondDoor && { github: secondDoor, identify: secondDoor.fetchViewer, name: 'the second token' },
    silentLog,
  );
  const [repoConfig] = config.repos;
  if (repoConfig === undefined) throw new Error('no repo');
  const { id } = await github.fetchRepository(NAME);
  const repo: Repo = { id, config: repoConfig };
  const identify = async () =>
    poster === APP_BOT && appLogin ? appLogin.identify([NAME]) : openDoor(poster).fetchViewer();
  let self = await identify();
  const secondId = await second.connect(self.id);
  /** Records the accounts, as the poller does when it connects. */
  const noteAccounts = (known: State): void => {
    for (const account of secondId === undefined ? [self.id] : [self.id, secondId])
      known.recordAccount(id, account, 0);
  };
  const viewer = () => ({ ...self, ids: new Set(state.listAccounts(id)) });
  const connected = () => ({ viewer: viewer(), repos: [repo] });
  const alice: Person = twin.as('alice');
  let databases = 0;
  const databasePath = () => join(directory.path, `state-${databases}.db`);
  const openNewState = (): State => {
    databases += 1;
    const opened = openState(databasePath());
    opened.saveRepository({ id, owner: 'alice', name: 'app', defaultBranch: 'main' });
    noteAccounts(opened);
    return opened;
  };
  let state = openNewState();
  const sweeps: Parameters<typeof pollRepo>[0]['sweeps'] = new Map();
  let pauseMs = 0;
  let budget = Number.POSITIVE_INFINITY;
  let extraLimits: Parameters<Stage['limit']>[0] = {};
  const common = (): Common => ({
    state,
    github: ownDoor,
    keys,
    viewer: viewer(),
    reviewer: second.voice,
    now: () => clock,
    monotonicNow: () => clock,
    log: silentLog,
    windowMs: WINDOW_MS,
    recentMs,
    sweeps,
    overlapMs: 1_000,
    debounceMs: DEBOUNCE_MS,
    limits: { ...config.limits, ...extraLimits },
    repos: () => [repo],
    redact: createRedact([SECRET]),
  });
  const newBudget = () =>
    createWriteBudget({ state, writesPerHour: () => budget, now: () => clock, monotonicNow: () => clock });
  let writeBudget = newBudget();
  const newSigner = (): Signer =>
    createSigner({
      ...common(),
      sleep: async () => {},
      spacingMs: 0,
      settleMs: SETTLE_MS,
      isStopping: () => false,
      budget: writeBudget,
    });
  const newOutbox = (): Outbox =>
    createOutbox({
      ...common(),
      monotonicNow: () => clock,
      sleep: async () => {},
      spacingMs: 0,
      isStopping: () => false,
      budget: writeBudget,
      postsChecks: poster === APP_BOT,
    });
  let outbox = newOutbox();
  let signer = newSigner();
  let closeTurns = createCloser(common());
  let afterRestart = (): void => {};
  const newSilence = () => createHolderSilence({ monotonicNow: () => clock, hearingSince: () => 0 });
  let silence = newSilence();
  const newTokens = () =>
    appLogin &&
    createWorkerTokens({
      ...{ state, keys, app: appLogin, log: silentLog, workflows: false },
      findRepo: () => repo,
      now: () => clock,
      monotonicNow: () => clock,
    });
  let tokens = newTokens();
  const refresh = createRefresh(() => ({ ...common(), pauseMs: () => pauseMs }));
  const restart = (): void => {
    ownDoor = openDoor(poster);
    expectVersions({ github: ownDoor, state }, repo);
    sweeps.clear();
    writeBudget = newBudget();
    outbox = newOutbox();
    signer = newSigner();
    closeTurns = createCloser(common());
    silence = newSilence();
    tokens = newTokens();
    afterRestart();
  };
  const tell = async (message: LedgerDraft): Promise<LedgerAnswer> => {
    const queue = { enqueueTurns: async () => {}, prioritiseTurns: async () => {} };
    const desk = {
      state,
      queue,
      mayReport: createReportLimit(() => clock),
      billing: { limits: () => ({}), prices: () => new Map() },
      keys,
      agentsOf: () => repo.config,
      refresh,
      author: () => ROBOT_AUTHOR,
      uploads: createUploads({ state, link: { github: ownDoor, connected }, apiUrl: twin.apiUrl }),
      now: () => clock,
      log: silentLog,
      tokens: poster === APP_BOT ? tokens : undefined,
    };
    for (;;) {
      try {
        return await answerLedger(
          { ...desk, silence },
          aVerifiedMessage(message, state.readTurn, keys.current),
        );
      } catch (error) {
        // A worker that gets no response asks again, and reaches the restarted poller.
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
        { ...common(), weights: config.scheduler, maxConcurrent: room, isInRebuildWindow: () => false },
        [repo],
      );
    },
    drain: async () => {
      await outbox.drain();
      await closeTurns();
    },
    speak: () => outbox.drain(),
    sign: () => signer.sign(),
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
    switchTo: async (next) => {
      poster = next;
      self = await identify();
      noteAccounts(state);
      restart();
    },
    revokeTokens: async () => tokens?.revokeEnded(),
    onRestart: (work) => {
      afterRestart = work;
    },
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
      if (violations.length > 0)
        throw new Error(`the poller sent invalid requests to the twin: ${JSON.stringify(violations)}`);
    },
  };
}
