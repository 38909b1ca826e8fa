import type { ProgramRun } from '@mergexo/agents';
import type { PlanTools, Task } from '../task.js';
import { quoteOutput } from './quote-output.js';

export type SetUp =
  | { kind: 'ready' }
  /** `reason` is written for people. */
  | { kind: 'failed'; reason: string }
  | { kind: 'stopped'; reason: string };

const MAX_PROGRAM = 16 * 1024 * 1024;
const READY: SetUp = { kind: 'ready' };

type SetupTools = Pick<PlanTools, 'runSetup' | 'testsSandbox'>;
/** The parts of a task that setup and the tests use. */
export type ProgramTask = Pick<Task, 'slot' | 'repo' | 'signal' | 'report' | 'baseSha' | 'setupHome'>;

/**
 * Runs the repository's setup on the slot's files, which must be exactly those of the commit. The program comes from
 * the base branch, so an agent cannot change it. Does nothing if the repository has no setup.
 */
export async function setUp(tools: SetupTools, task: ProgramTask, sha: string): Promise<SetUp> {
  const { repo, slot, baseSha, setupHome } = task;
  if (repo.setup === undefined) return READY;
  const { testsSandbox } = tools;
  if (testsSandbox.kind === 'refused')
    return fail(`\`setup\` cannot run on this worker: ${testsSandbox.reason}. ${testsSandbox.fix}`);
  const content = await slot.readCommitted({ sha: baseSha, path: repo.setup, maxBytes: MAX_PROGRAM });
  if (content === undefined) {
    const reason = `\`setup\` cannot run: \`${repo.setup}\` is not a file on the base branch`;
    return fail(`${reason}. Add it there, or change \`setup\` in mergexo.toml.`);
  }
  task.report.step('setup');
  const program = { path: repo.setup, content };
  const isBase = sha === baseSha;
  const run = async () => {
    const ran = await slot.setUp({ sha, program }, () =>
      tools.runSetup(task, { path: program.path, home: setupHome.path() }),
    );
    return ran.kind === 'ran' ? explain(ran.result) : fail(`\`setup\` failed: ${ran.reason}.`);
  };
  const wasKept = await setupHome.lend(isBase);
  let result = await run();
  if (result.kind === 'failed' && wasKept) {
    // A damaged cache, or one that grew too large, must not stop the repository's work.
    await setupHome.forget();
    await setupHome.lend(isBase);
    await slot.prepareTests(sha);
    result = await run();
  }
  if (result.kind === 'ready' && isBase) await setupHome.keep();
  return result;
}

const fail = (reason: string): SetUp => ({ kind: 'failed', reason });

function explain(run: ProgramRun): SetUp {
  switch (run.kind) {
    case 'passed':
      return READY;
    case 'absent':
      return fail(`\`setup\` cannot run: ${run.reason}.`);
    case 'failed':
      return fail(`\`setup\` failed. ${ADVICE} ${quoteOutput(run.output)}`);
    case 'timed-out':
      return fail(`\`setup\` took longer than \`agent.setup_timeout_seconds\`. ${quoteOutput(run.output)}`);
    case 'exceeded':
      return fail(`\`setup\` ${run.reason}. ${quoteOutput(run.output)}`);
    case 'aborted':
      return { kind: 'stopped', reason: run.reason };
  }
}

const ADVICE = 'Run it in a new clone to reproduce the failure.';
