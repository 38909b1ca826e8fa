import { attemptOf, isCarried, LIVE_STATES, type Turn } from '@mergexo/core/turns';
import type { Program } from '@mergexo/testkit';
import { chooseBetween, createRandom } from '../simulate-month/random.js';
import type { Walk } from './walk.js';

export type Kills = {
  /**
   * So many kill -9 more, one after the other, each some moment after the last; what died is started again at once. What
   * is left when there is nothing more to disturb comes with the next call.
   */
  strike(count: number, over: AbortSignal): Promise<void>;
  strikeRest(): Promise<void>;
  /** Of all that were killed, the workers: each may cost one more asking of the agent. */
  countWorkers(): number;
  /** Who was killed during what, for a person who looks for the cause of a failure. */
  describe(): string;
};

const WORKERS = 2;
/** After a start, so that a slow machine is not killed in nothing but starts. */
const SHORTEST_MS = 0;
const LONGEST_MS = 1_500;

/** A poller and two workers that die at random. The moments and the aims follow from the seed. */
export function startDoomed(walk: Walk, seed: number): Kills {
  const random = createRandom(seed);
  const poller = { name: 'poller', program: walk.startPoller(), start: () => walk.startPoller() };
  const workers = Array.from({ length: WORKERS }, (_, index) => ({
    name: `worker ${index + 1}`,
    program: walk.startWorker(),
    start: () => walk.startWorker(),
  }));
  let due = 0;
  const killed: { name: string; during: string }[] = [];

  const strikeOnce = async (): Promise<void> => {
    await Promise.all([
      walk.ready(poller.program, 'poller is ready'),
      ...workers.map(({ program }) => walk.ready(program, 'worker is ready')),
    ]);
    await new Promise((done) => setTimeout(done, chooseBetween(random, SHORTEST_MS, LONGEST_MS)));
    const isForPoller = random() < 0.4;
    const anyWorker = workers[chooseBetween(random, 0, WORKERS - 1)] ?? poller;
    const turn = readLiveTurn(walk);
    // One that works is a better aim than one that waits.
    const aim = workers.find(({ program }) => turn !== undefined && holds(program, turn)) ?? anyWorker;
    // A second loss in the same turn costs 30 s of backoff, and a third blocks it: that is promised elsewhere.
    const isSpared = turn !== undefined && isCarried(turn) && attemptOf(turn) > 1;
    const victim = isForPoller || isSpared ? poller : aim;
    killed.push({ name: victim.name, during: turn ? `${turn.kind}, ${turn.state}` : 'no turn' });
    victim.program.kill('SIGKILL');
    await victim.program.exited;
    victim.program = victim.start();
  };

  return {
    async strike(count, over) {
      for (due += count; due > 0 && !over.aborted; due -= 1) await strikeOnce();
    },
    async strikeRest() {
      for (; due > 0; due -= 1) await strikeOnce();
    },
    countWorkers: () => killed.filter(({ name }) => name !== poller.name).length,
    describe: () => killed.map(({ name, during }, index) => `${index + 1}. ${name} (${during})`).join('\n'),
  };
}

function readLiveTurn(walk: Walk): Turn | undefined {
  return walk.withState((state) => LIVE_STATES.flatMap((name) => state.listTurnsInState(name))[0]);
}

/** The name of a worker has the number of its process in it. */
function holds({ pid }: Program, turn: Turn): boolean {
  return isCarried(turn) && (turn.workerId?.includes(`-${pid}-`) ?? false);
}
