import { setTimeout as sleep } from 'node:timers/promises';
import { createWalk, WINDOW_SECONDS } from '../fleet/walk.js';
import { findFaults } from './find-faults.js';
import type { Flow } from './flow.js';
import { createPrograms, type Programs } from './programs.js';
import { createScene } from './scene.js';

/** A duplicate post would appear within the visibility window. */
const SETTLE_MS = (WINDOW_SECONDS + 0.5) * 1_000;

export type Outcome = { faults: string[]; kills: readonly string[] };

/** Plays a flow while programs are killed at the failpoints, in this order for each program. */
export async function runPair(flow: Flow, points: readonly string[]): Promise<Outcome> {
  const walk = await createWalk(flow.options);
  const programs = createPrograms(walk);
  const scene = createScene(walk, programs);
  try {
    programs.restore();
    await flow.prepare?.(scene);
    await programs.arm(points);
    await flow.play(scene);
    await waitForDuplicates(programs);
    return { faults: [...programs.exits(), ...(await findFaults(walk, flow))], kills: [...programs.kills()] };
  } catch (error) {
    return { faults: [`G-LIVE-1: ${error}`.slice(0, 4_000)], kills: [...programs.kills()] };
  } finally {
    await walk.close();
  }
}

/** Waits for one window after the last kill, because failpoints after the last post may still kill a program. */
async function waitForDuplicates(programs: Programs): Promise<void> {
  let kills = programs.kills().length;
  for (let since = performance.now(); performance.now() - since < SETTLE_MS; await sleep(100)) {
    programs.restore();
    if (programs.kills().length > kills) since = performance.now();
    kills = programs.kills().length;
  }
}
