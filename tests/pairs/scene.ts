import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLive, type Turn } from '@mergexo/core/turns';
import type { Run } from '@mergexo/state';
import type { Walk } from '../fleet/walk.js';
import type { Programs } from './programs.js';

/** A turn that is killed twice waits for backoffs of up to a minute. */
const LIMIT_MS = 90_000;

export type Scene = ReturnType<typeof createScene>;

/** A walk whose programs are killed, with shortcuts for flows. */
export function createScene(walk: Walk, programs: Programs) {
  const until = (check: () => unknown): Promise<void> =>
    walk.until(async () => {
      programs.restore();
      await check();
    }, LIMIT_MS);
  const runs = (): Run[] =>
    walk.withState((state) => state.listRepositories().flatMap(({ id }) => state.listRunsOfIssue(id, 1)));
  const turns = (): Turn[] => walk.withState((state) => runs().flatMap(({ id }) => state.listTurnsOfRun(id)));
  const isQuiet = (): boolean =>
    walk.withState(
      (state) =>
        state.listUnsettledActions().length === 0 &&
        runs().every(({ repoId, prNumber }) =>
          [1, prNumber ?? 1].every((thread) => state.listUnclaimedEvents(repoId, thread).length === 0),
        ),
    );
  return {
    walk,
    alice: walk.alice,
    until,
    runs,
    turns,
    /** A file on which a scripted agent waits. */
    gate: join(walk.dir, 'gate'),
    openGate: () => writeFileSync(join(walk.dir, 'gate'), ''),
    /** Waits until this many turns are done and nothing is left to do. */
    async finish(count: number, status: Run['status'] = 'awaiting_feedback') {
      await until(() => {
        const all = turns();
        const done = all.filter(({ state }) => state === 'done').length;
        const [run] = runs();
        if (done === count && !all.some(isLive) && isQuiet() && run?.status === status) return;
        const states = all.map(({ kind, state, reason }) => `${kind} ${state} ${reason ?? ''}`);
        throw new Error(
          `${done} turns of ${count} are done, the run is ${run?.status}: ${states.join(', ')}`,
        );
      });
    },
  };
}
