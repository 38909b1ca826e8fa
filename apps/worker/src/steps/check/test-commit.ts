import type { ProgramRun } from '@mergexo/agents';
import { failpoint } from '@mergexo/core/basics';
import type { PlanTools, Task } from '../task.js';
import { type ProgramTask, setUp } from './set-up.js';

export type Verdict =
  | { kind: 'good' }
  | { kind: 'tests-failed'; output: string }
  | { kind: 'stopped'; reason: string };

const MAX_TEST_PROGRAM = 16 * 1024 * 1024;

export type TestTools = Pick<PlanTools, 'runSetup' | 'runTests' | 'testsSandbox'>;

/** Runs the required tests on the commit itself, not on the files that the agent left in the slot. */
export async function testCommit(tools: TestTools, task: Task, sha: string): Promise<Verdict> {
  const path = task.repo.requiredTests;
  const verdict = path === undefined ? GOOD : await runOnCommit(tools, task, { sha, path });
  failpoint('worker:tests-passed');
  return verdict;
}

const GOOD: Verdict = { kind: 'good' };

type Tests = { sha: string; path: string };

async function runOnCommit(tools: TestTools, task: Task, { sha, path }: Tests): Promise<Verdict> {
  const { slot, startSha } = task;
  // The start commit decides whether tests are required, so an agent cannot skip the tests by deleting them.
  await slot.prepareTests(startSha);
  const before = await slot.readRegularFile(path, MAX_TEST_PROGRAM);
  const run = await runOnFiles(tools, task, { sha, path });
  // Cleans up again, because files that the tests left must not count as the agent's work in the next round.
  await slot.prepareTests(sha);
  if (run.kind === 'absent' && before.kind === 'absent') return GOOD;
  return toVerdict(run, path);
}

/** A failed setup says nothing about the tests. */
export type TestRun = ProgramRun | { kind: 'setup-failed'; output: string };

/** Runs setup and the tests on exactly the files of a commit or tree. */
export async function runOnFiles(
  tools: TestTools,
  task: ProgramTask,
  { sha, path }: Tests,
): Promise<TestRun> {
  await task.slot.prepareTests(sha);
  const ready = await setUp(tools, task, sha);
  if (ready.kind === 'stopped') return { kind: 'aborted', reason: ready.reason };
  if (ready.kind === 'failed') return { kind: 'setup-failed', output: ready.reason };
  task.report.step('required tests');
  return tools.runTests(task, { path, home: task.setupHome.path() });
}

function toVerdict(run: TestRun, path: string): Verdict {
  switch (run.kind) {
    case 'passed':
      return GOOD;
    case 'absent':
      return { kind: 'tests-failed', output: `${path} can no longer run: ${run.reason}` };
    case 'failed':
    case 'setup-failed':
      return { kind: 'tests-failed', output: run.output };
    case 'timed-out':
      return { kind: 'tests-failed', output: `The tests timed out.\n${run.output}` };
    case 'exceeded':
      return { kind: 'tests-failed', output: `The tests ${run.reason}.\n${run.output}` };
    case 'aborted':
      return { kind: 'stopped', reason: run.reason };
  }
}
