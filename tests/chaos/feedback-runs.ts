import fc from 'fast-check';
import { checkFeedback } from './feedback-check.js';
import { play } from './feedback-play.js';
import { type Schedule, schedule } from './feedback-schedule.js';
import { createFeedbackWorld, type FeedbackWorld } from './feedback-world.js';

export type Finding = { seed: number; problems: string[]; report: string };
export type Runs = { runs: number; answers: number; crashes: Map<string, number>; finding?: Finding };

/** Runs one schedule per seed, each in its own world. Stops at the first schedule that breaks an invariant. */
export async function runFeedback(options: {
  seed: number;
  runs: number;
  /** Time limit for finding a shorter schedule that also fails. */
  shrinkMs: number;
  onRun?: (done: number) => void;
}): Promise<Runs> {
  const { seed: first, shrinkMs } = options;
  const crashes = new Map<string, number>();
  let answers = 0;
  for (let run = 0; run < options.runs; run += 1) {
    const seed = first + run;
    const [drawn] = fc.sample(schedule, { seed, numRuns: 1 });
    if (drawn === undefined) continue;
    const { problems, ...seen } = await runOne(drawn);
    answers += seen.answers;
    for (const name of seen.crashes) crashes.set(name, (crashes.get(name) ?? 0) + 1);
    options.onRun?.(run + 1);
    if (problems.length === 0) continue;
    const report = await describe(seed, drawn, problems, shrinkMs);
    return { runs: run + 1, answers, crashes, finding: { seed, problems, report } };
  }
  return { runs: options.runs, answers, crashes };
}

type Outcome = { problems: string[]; answers: number; crashes: readonly string[] };

/** Runs and checks one schedule. Every error is a finding, including errors before the first op. */
export async function runOne(drawn: Schedule): Promise<Outcome> {
  let world: FeedbackWorld | undefined;
  try {
    world = await createFeedbackWorld(drawn);
    const played = await play(world, drawn);
    const { problems, answers } = await checkFeedback(world, played);
    const { crashes, twin } = world;
    return { problems: [...played.problems, ...problems, ...twin.control.violations()], answers, crashes };
  } catch (error) {
    const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { problems: [trouble], answers: 0, crashes: world?.crashes ?? [] };
  } finally {
    await world?.close();
  }
}

/** Shortens a failing schedule while it still fails: removes half of the ops, then a quarter … then single ops. */
async function describe(
  seed: number,
  drawn: Schedule,
  problems: string[],
  shrinkMs: number,
): Promise<string> {
  const deadline = performance.now() + shrinkMs;
  let [least, found] = [drawn, problems];
  for (let size = Math.ceil(drawn.ops.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < least.ops.length && performance.now() < deadline; ) {
      const shorter = { ...least, ops: least.ops.toSpliced(at, size) };
      const { problems: left } = await runOne(shorter);
      if (left.length === 0) at += size;
      else [least, found] = [shorter, left];
    }
  }
  return [
    ...problems,
    `replay: npm run chaos -- --seed ${seed} --runs 1`,
    `schedule (${least.ops.length} of ${drawn.ops.length} ops), under the login ${least.poster}, ${least.pulls} pull requests:`,
    ...least.ops.map((op) => `  ${JSON.stringify(op)}`),
    'problems with this schedule:',
    ...found.map((problem) => `  ${problem}`),
  ].join('\n');
}
