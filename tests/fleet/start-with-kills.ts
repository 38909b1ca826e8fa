import { attemptOf, isCarried, LIVE_STATES, type Turn } from '@mergexo/core/turns';
import type { Program } from '@mergexo/testkit';
import { chooseBetween, createRandom } from '../simulate-month/random.js';
import type { Walk } from './walk.js';

export type Kills = {
  /**
   * Kills this many more programs with kill -9, one at a time at random moments, and restarts each
   * immediately. Kills that remain at the end of a stage are added to the next call.
   */
  run(count: number, over: AbortSignal): Promise<void>;
  runRemaining(): Promise<void>;
  /** Number of killed workers. Each killed worker may lead to one more agent call. */
  countWorkers(): number;
  /** Lists each killed program and its turn, to help diagnose a failure. */
  describe(): string;
};

const WORKERS = 2;
/** Range of the random delay between the moment when all programs are ready and the next kill. */
const SHORTEST_MS = 0;
const LONGEST_MS = 1_500;

/** Runs a poller and two workers that are killed at random. The seed determines the times and the victims. */
export function startWithKills(walk: Walk, seed: number): Kills {
  const random = createRandom(seed);
  const poller = { name: 'poller', program: walk.startPoller(), start: () => walk.startPoller() };
  const workers = Array.from({ length: WORKERS }, (_, index) => ({
    name: `worker ${index + 1}`,
    program: walk.startWorker(),
    start: () => walk.startWorker(),
  }));
  let remaining = 0;
  const killed: { name: string; during: string }[] = [];

  const killOnce = async (): Promise<void> => {
    await Promise.all([
      walk.ready(poller.program, 'poller is ready'),
      ...workers.map(({ program }) => walk.ready(program, 'worker is ready')),
    ]);
    await new Promise((done) => setTimeout(done, chooseBetween(random, SHORTEST_MS, LONGEST_MS)));
    const isPollerNext = random() < 0.4;
    const anyWorker = workers[chooseBetween(random, 0, WORKERS - 1)] ?? poller;
    const turn = readLiveTurn(walk);
    // A busy worker is preferred, because killing it tests more than killing an idle worker.
    const candidate = workers.find(({ program }) => turn !== undefined && holds(program, turn)) ?? anyWorker;
    // A turn loses at most one worker. A second loss would add 30 s of backoff, and a third would block the turn.
    const isSpared = turn !== undefined && isCarried(turn) && attemptOf(turn) > 1;
    const victim = isPollerNext || isSpared ? poller : candidate;
    killed.push({ name: victim.name, during: turn ? `${turn.kind}, ${turn.state}` : 'no turn' });
    victim.program.kill('SIGKILL');
    await victim.program.exited;
    victim.program = victim.start();
  };

  return {
    async run(count, over) {
      for (remaining += count; remaining > 0 && !over.aborted; remaining -= 1) await killOnce();
    },
    async runRemaining() {
      for (; remaining > 0; remaining -= 1) await killOnce();
    },
    countWorkers: () => killed.filter(({ name }) => name !== poller.name).length,
    describe: () => killed.map(({ name, during }, index) => `${index + 1}. ${name} (${during})`).join('\n'),
  };
}

function readLiveTurn(walk: Walk): Turn | undefined {
  return walk.withState((state) => LIVE_STATES.flatMap((name) => state.listTurnsInState(name))[0]);
}

/** True if the worker holds the turn. A worker's id contains its pid. */
function holds({ pid }: Program, turn: Turn): boolean {
  return isCarried(turn) && (turn.workerId?.includes(`-${pid}-`) ?? false);
}
