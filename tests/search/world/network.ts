import type { Life } from './lives.js';
import type { Random } from './random.js';
import type { Timeline } from './timeline.js';

/** A connection that can be cut: to GitHub, from the poller to Redis, or from one worker to Redis or the git remote. */
export type Link = string;

export type Network = ReturnType<typeof createNetwork>;

/** Delays and partitions. Every message of the world passes here. */
export function createNetwork(timeline: Timeline, random: Random) {
  const cuts = new Map<Link, number>();
  const doomed = new Map<string, number>();
  let slowUntil = 0;
  let onCrash = (_life: Life, _where: string): void => {};
  return {
    timeline,
    isCut: (link: Link): boolean => (cuts.get(link) ?? 0) > timeline.now(),
    cut: (link: Link, ms: number): void => void cuts.set(link, timeline.now() + ms),
    /** For this time, messages take seconds instead of milliseconds. */
    slowDown: (ms: number): void => {
      slowUntil = timeline.now() + ms;
    },
    heal(): void {
      cuts.clear();
      doomed.clear();
      slowUntil = 0;
    },
    travel(kind: 'github' | 'redis' | 'git'): Promise<void> {
      const [min, max] = DELAYS[kind];
      const isSlow = timeline.now() < slowUntil && kind !== 'redis';
      return timeline.wait(isSlow ? random.between(1_000, 12_000) : random.between(min, max));
    },
    /** Crashes the process after this many requests, answers and messages. */
    doom: (name: string, doors: number): void => void doomed.set(name, doors),
    onCrash(listener: typeof onCrash): void {
      onCrash = listener;
    },
    /** Counts a step of the process to or from the outside. Its process may end there. */
    passDoor(life: Life | undefined, where: string): void {
      const left = life && doomed.get(life.name);
      if (life === undefined || left === undefined) return;
      doomed.set(life.name, left - 1);
      if (left > 1) return;
      doomed.delete(life.name);
      onCrash(life, where);
    },
  };
}

const DELAYS = { github: [20, 200], redis: [1, 5], git: [50, 300] } as const;
