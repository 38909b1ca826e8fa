import type { Drawn } from './draw-pair.js';
import { runPair } from './run-pair.js';

export type Tally = {
  rounds: number;
  kills: number;
  /** Failpoints that killed a program at least once. */
  reached: Set<string>;
  /** The rounds that broke a guarantee, as `flow: first,second`. */
  broken: string[];
};

type Plan = {
  /** Returns undefined when there is nothing left. */
  next(): Drawn | undefined;
  jobs: number;
  onRound(drawn: Drawn, faults: readonly string[]): void;
  /** A round whose first failpoint kills nothing is a fault. */
  mustReach: boolean;
};

/** Plays rounds in parallel until none is left. A round that has started is always finished. */
export async function playRounds({ next, jobs, onRound, mustReach }: Plan): Promise<Tally> {
  const tally: Tally = { rounds: 0, kills: 0, reached: new Set(), broken: [] };
  const work = async (): Promise<void> => {
    for (let drawn = next(); drawn !== undefined; drawn = next()) {
      const { flow, points } = drawn;
      const { faults, kills } = await runPair(flow, points);
      const all = mustReach && kills.length === 0 ? [...faults, `${points[0]} was not reached`] : faults;
      tally.rounds += 1;
      tally.kills += kills.length;
      for (const point of kills) tally.reached.add(point.split('#')[0] ?? point);
      if (all.length > 0) tally.broken.push(`${flow.name}: ${points.join(',')}`);
      onRound(drawn, all);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return tally;
}
