import type { PollTools } from './cycle.js';
import { pollOnce } from './cycle.js';
import { type Repeating, repeat } from './repeat.js';
import type { Repo } from './tools.js';
import type { News } from './webhook/news.js';
import type { Nudges } from './webhook/nudges.js';

type CycleTools = {
  /** The tools at the time of the call, because the config may change. */
  polling: () => PollTools;
  nudges: Nudges;
  news: Pick<News, 'countOf'>;
  monotonicNow: () => number;
  /** Called after each cycle that read every repository completely. */
  onComplete: () => void;
  onCycle: () => void;
  onError: (error: unknown) => void;
};

export type Cycle = Repeating & {
  /** Looks for deliveries at once. `wake` polls every repository. */
  nudge(): void;
};

/** Polls every repository at the pace of the rhythm, and in between those that a webhook announced. */
export function repeatCycle({ polling, nudges, news, monotonicNow, ...tools }: CycleTools): Cycle {
  let fullDueAt = Number.NEGATIVE_INFINITY;
  const round = async (): Promise<void> => {
    const nudged = nudges.take();
    const isFull = monotonicNow() >= fullDueAt;
    if (!isFull && nudged.size === 0) return;
    if (isFull) fullDueAt = Number.POSITIVE_INFINITY;
    const current = polling();
    const repos = current.link.connected()?.repos.filter(({ id }) => nudged.has(id)) ?? [];
    const before = new Map(repos.map((repo) => [repo.id, news.countOf(repo.config.fullName)]));
    const isPolled = (repo: Repo): boolean => isFull || nudged.has(repo.id);
    const complete = await pollOnce({ ...current, isPolled });
    for (const { id, config } of repos) nudges.settle(id, news.countOf(config.fullName) !== before.get(id));
    if (isFull) {
      if (fullDueAt === Number.POSITIVE_INFINITY) fullDueAt = monotonicNow() + current.rhythm.pauseMs();
      if (complete) tools.onComplete();
    }
    tools.onCycle();
  };
  const pauseMs = (): number => Math.max(0, Math.min(fullDueAt - monotonicNow(), nudges.dueInMs()));
  const loop = repeat(round, { pauseMs, onError: tools.onError });
  return {
    ...loop,
    wake() {
      fullDueAt = Number.NEGATIVE_INFINITY;
      loop.wake();
    },
    nudge: () => loop.wake(),
  };
}
