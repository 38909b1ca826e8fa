import { type Failpoint, watchFailpoints } from '@mergexo/core/basics';
import { type LedgerAnswer, type LedgerMessage, OPERATOR } from '@mergexo/core/ledger';
import {
  type FaultHandle,
  type FaultInput,
  type HistoryEntry,
  startTwin,
  type Twin,
} from '@mergexo/github-twin';
import { openStateInMemory, type State } from '@mergexo/state';
import { type Agent, createAgent } from './agent.js';
import { followClock, START, type WallClock } from './clock.js';
import { POSTER } from './constants.js';
import { createGitHubLine } from './github-line.js';
import { createLedgerLine, type LedgerLine } from './ledger-line.js';
import { Crash, currentLife, guard, type Life, runIn, startLife } from './lives.js';
import { createMemoryQueue, linkQueue, type MemoryQueue } from './memory-queue.js';
import { createNetwork, type Network } from './network.js';
import { type SimulatedPoller, startPoller } from './poller.js';
import { createRandom } from './random.js';
import { createRemote, type Remote } from './remote.js';
import { SEED, TOKENS } from './seed.js';
import { readWorldSettings, type Variant } from './settings.js';
import { createTimeline, type Timeline } from './timeline.js';
import { type SimulatedWorker, startWorker, type WorkerParts } from './worker.js';
import { createWorldLog } from './world-log.js';

export type Moment = { seq: number; at: number };
/** An operator's request, and when its answer arrived. */
export type Carried = Moment & { message: LedgerMessage; answer: LedgerAnswer };
export type Reach = Map<string, number>;

/** Everything that one schedule needs: GitHub, Redis, SQLite, git, the processes and the time. */
export type World = {
  twin: Twin;
  timeline: Timeline;
  network: Network;
  remote: Remote;
  agent: Agent;
  queue: MemoryQueue;
  ledger: LedgerLine;
  wall: WallClock;
  variant: Variant;
  reach: Reach;
  /** Where processes crashed, in order. */
  crashes: { life: string; where: string; at: number }[];
  /** Errors that no code expected. */
  bugs: string[];
  losses: Moment[];
  moment(): Moment;
  /** The number of changes on GitHub so far. */
  changes(): { seq: number };
  /** The operators' requests that the poller has carried out. */
  orders: Carried[];
  /** The operators' requests, also those without an answer. */
  requests: { at: number; message: LedgerMessage }[];
  /** Only the code that drives a schedule reads the database. Judges must not. */
  state(): State;
  /** Arms a fault of GitHub. */
  fault(fault: FaultInput): void;
  /** Polls at once. */
  wake(): void;
  arm(name: Failpoint, ordinal: number): void;
  disarm(): void;
  crash(name: string): void;
  /** Starts every process that does not run. */
  revive(): void;
  drain(name: string): void;
  loseState(): void;
  backUp(): void;
  restoreBackup(): boolean;
  fillDisk(writes: number): void;
  flush(): void;
  operate(message: LedgerMessage): void;
  close(): Promise<void>;
};

export const WORKERS: readonly string[] = ['worker-1', 'worker-2'];
const RESTART_MS = 2_000;
/** These faults last until they are cleared. */
const LASTING: readonly string[] = ['lag', 'stale', 'shift', 'null-user'];

type Options = { seed: number; variant: Variant; validates: boolean };

export async function createWorld({ seed, variant, validates }: Options): Promise<World> {
  const random = createRandom(seed ^ 0x5eed);
  const timeline = createTimeline();
  const wall: WallClock = { offsetMs: 0 };
  followClock(timeline, wall);
  const clock = { now: () => START + timeline.now(), advance: () => {} };
  const limits = {
    primaryPerHour: 1e9,
    pointsPerMinute: 1e9,
    contentPerMinute: 1e9,
    contentPerHour: 1e9,
    concurrent: 1e9,
  };
  let version = 0;
  const onRecord = ({ kind }: HistoryEntry): void => {
    if (kind === 'request' || kind === 'violation') return;
    version += 1;
    deliverWebhook();
  };
  const twin = await startTwin({ seed: SEED, clock, limits, inProcess: true, validates, onRecord });
  const network = createNetwork(timeline, random);
  const remote = createRemote(twin, network);
  const agent = createAgent(remote, random, () => START + timeline.now());
  const queue = createMemoryQueue({
    wallNow: () => START + timeline.now() + wall.offsetMs,
    monotonicNow: timeline.now,
  });
  const ledger = createLedgerLine(network);
  const settings = readWorldSettings(variant, twin.apiUrl, TOKENS[POSTER]);
  const log = createWorldLog(timeline.now);
  const reach: Reach = new Map();
  const spool: WorkerParts['spool'] = new Map();
  const faults: { handle: FaultHandle; times: number }[] = [];
  const line = createGitHubLine(twin, network, {
    version: () => version,
    hasFaults: () => faults.some(({ handle, times }) => handle.hits() < times),
  });
  let database = openStateInMemory();
  let backup: Buffer | undefined;
  let failingWrites = 0;
  let starts = 0;
  let armed: { name: Failpoint; left: number } | undefined;
  let poller: SimulatedPoller | undefined;
  let isClosed = false;
  const workers = new Map<string, SimulatedWorker>();

  const onBug = (error: unknown): void => {
    if (isClosed || error instanceof Crash) return;
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    world.bugs.push(text);
  };
  const kill = (life: Life, where: string): void => {
    if (!life.isAlive) return;
    life.isAlive = false;
    world.crashes.push({ life: life.name, where, at: timeline.now() });
    timeline.after(RESTART_MS, () => world.revive());
  };
  network.onCrash(kill);
  watchFailpoints((name) => {
    reach.set(name, (reach.get(name) ?? 0) + 1);
    const life = currentLife();
    if (life === undefined || armed?.name !== name) return;
    armed.left -= 1;
    if (armed.left > 0) return;
    armed = undefined;
    kill(life, name);
    throw new Crash(name);
  });
  const guardState = (life: Life): State =>
    guard(database.state, life, (name) => {
      if (failingWrites === 0 || name !== 'transaction') return;
      failingWrites -= 1;
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    });
  const startNewPoller = (): SimulatedPoller =>
    startPoller({
      settings,
      state: guardState,
      fetch: line,
      queue: linkQueue(queue.queue, async () => {
        await network.travel('redis');
        return !network.isCut('poller');
      }),
      ledger,
      isRedisCut: () => network.isCut('poller'),
      log,
      onError(life, error) {
        if (!life.isAlive || isClosed) return;
        if (!isDiskFull(error)) onBug(error);
        kill(life, 'an error ended the poller');
      },
    });
  const parts = { queue, ledger, remote, agent, network, heartbeats: variant.heartbeats };
  const deliverOften = (): void => {
    ledger.deliver();
    timeline.after(3_000, deliverOften);
  };
  /** GitHub's deliveries arrive late, twice or never. */
  function deliverWebhook(): void {
    if (!variant.webhook || random.chance(0.05)) return;
    const copies = random.chance(0.05) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1)
      timeline.after(random.between(100, random.chance(0.1) ? 20_000 : 1_500), () => poller?.hearDelivery());
  }

  const world: World = {
    ...{ twin, timeline, network, remote, agent, queue, ledger, wall, variant, reach },
    crashes: [],
    bugs: [],
    losses: [],
    orders: [],
    requests: [],
    changes: () => ({ seq: version }),
    moment: () => ({ seq: twin.history.list().at(-1)?.seq ?? 0, at: clock.now() }),
    state: () => database.state,
    fault(fault) {
      const times = fault.times ?? (LASTING.includes(fault.kind) ? Number.POSITIVE_INFINITY : 1);
      faults.push({ handle: twin.control.fault(fault), times });
    },
    wake: () => poller?.wake(),
    arm(name, ordinal) {
      armed = { name, left: ordinal };
    },
    disarm() {
      twin.control.clearFaults();
      faults.splice(0);
      armed = undefined;
      failingWrites = 0;
    },
    crash(name) {
      const process = name === 'poller' ? poller : workers.get(name);
      if (process !== undefined) kill(process.life, 'kill -9');
    },
    revive() {
      if (isClosed) return;
      if (poller?.life.isAlive !== true) poller = startNewPoller();
      for (const name of WORKERS) {
        if (workers.get(name)?.life.isAlive === true) continue;
        starts += 1;
        workers.set(name, startWorker(name, starts, { ...parts, settings, spool, log, onBug }));
      }
    },
    drain(name) {
      const worker = workers.get(name);
      worker?.drain();
      timeline.after(20_000, () => worker && kill(worker.life, 'the end of its shutdown'));
    },
    loseState() {
      world.losses.push(world.moment());
      world.crash('poller');
      database.state.close();
      database = openStateInMemory();
    },
    backUp() {
      backup = database.copy();
    },
    restoreBackup() {
      if (backup === undefined) return false;
      world.losses.push(world.moment());
      world.crash('poller');
      database.state.close();
      database = openStateInMemory(backup);
      return true;
    },
    fillDisk(writes) {
      failingWrites = writes;
    },
    flush() {
      queue.flush();
      ledger.flush();
    },
    operate(message) {
      world.requests.push({ at: clock.now(), message });
      const life = startLife('operator');
      const carried = (answer: LedgerAnswer): void =>
        void world.orders.push({ message, answer, ...world.moment() });
      void runIn(life, () => ledger.ask(message, OPERATOR, 30_000)).then(carried, () => {});
    },
    async close() {
      isClosed = true;
      if (poller) poller.life.isAlive = false;
      for (const worker of workers.values()) worker.life.isAlive = false;
      watchFailpoints(() => {});
      timeline.clear();
      await twin.stop();
      database.state.close();
    },
  };
  world.revive();
  deliverOften();
  return world;
}

function isDiskFull(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('code' in error && error.code === 'SQLITE_FULL') return true;
  return 'cause' in error && isDiskFull(error.cause);
}
