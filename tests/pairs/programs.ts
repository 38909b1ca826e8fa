import { killPrograms, type Program } from '@mergexo/testkit';
import type { Walk } from '../fleet/walk.js';

type App = 'poller' | 'worker';
const APPS = ['poller', 'worker'] as const satisfies App[];

export type Programs = {
  /** Restarts both programs, so that each stops at its next failpoint of the list. */
  arm(points: readonly string[]): Promise<void>;
  /** Starts the programs that are not running. */
  restore(): void;
  /** The failpoints that killed a program so far. */
  kills(): readonly string[];
  /** The programs that ended without a kill, with the end of their output. */
  exits(): readonly string[];
};

/** Runs one poller and one worker. A failpoint such as `poller:feed-read#2` kills the program with kill -9. */
export function createPrograms(walk: Walk): Programs {
  const start = { poller: walk.startPoller, worker: walk.startWorker };
  const running: Partial<Record<App, { program: Program; point: string | undefined }>> = {};
  const waiting: string[] = [];
  const kills: string[] = [];
  const exits: string[] = [];

  const begin = (app: App): void => {
    const index = waiting.findIndex((point) => point.startsWith(`${app}:`));
    const [point] = index < 0 ? [] : waiting.splice(index, 1);
    running[app] = { program: start[app](point), point };
  };
  const restore = (): void => {
    for (const app of APPS) {
      const { program, point } = running[app] ?? {};
      const { exitCode, signalCode } = program?.child ?? { exitCode: null, signalCode: null };
      if (program !== undefined && exitCode === null && signalCode === null) continue;
      if (signalCode === 'SIGKILL' && point !== undefined) kills.push(point);
      else if (program !== undefined)
        exits.push(`the ${app} ended with ${exitCode ?? signalCode}: ${program.output().slice(-1_000)}`);
      begin(app);
    }
  };
  return {
    restore,
    kills: () => kills,
    exits: () => exits,
    async arm(points) {
      waiting.push(...points);
      await killPrograms(APPS.flatMap((app) => running[app]?.program ?? []));
      for (const app of APPS) begin(app);
    },
  };
}
