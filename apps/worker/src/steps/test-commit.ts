import { failpoint } from '@mergexo/core/basics';
import type { RunTests, Task } from './task.js';

export type Verdict =
  | { kind: 'good' }
  | { kind: 'tests-failed'; output: string }
  | { kind: 'stopped'; reason: string };

const MAX_TEST_PROGRAM = 16 * 1024 * 1024;

/** Runs the required tests on the commit itself, not on the files that the agent left in the slot. */
export async function testCommit(runTests: RunTests, task: Task, sha: string): Promise<Verdict> {
  const path = task.repo.requiredTests;
  const verdict = path === undefined ? GOOD : await runOnCommit(runTests, task, { sha, path });
  failpoint('worker:tests-passed');
  return verdict;
}

const GOOD: Verdict = { kind: 'good' };

async function runOnCommit(
  runTests: RunTests,
  task: Task,
  { sha, path }: { sha: string; path: string },
): Promise<Verdict> {
  const { slot, startSha } = task;
  // The start commit decides whether tests are required, so an agent cannot skip the tests by deleting them.
  await slot.prepareTests(startSha);
  const before = await slot.readRegularFile(path, MAX_TEST_PROGRAM);
  await slot.prepareTests(sha);
  const run = await runTests(task, path);
  // Cleans up again, because files that the tests left must not count as the agent's work in the next round.
  await slot.prepareTests(sha);
  switch (run.kind) {
    case 'passed':
      return GOOD;
    case 'absent':
      if (before.kind === 'absent') return GOOD;
      return { kind: 'tests-failed', output: `${path} can no longer run: ${run.reason}` };
    case 'failed':
      return { kind: 'tests-failed', output: run.output };
    case 'timed-out':
      return { kind: 'tests-failed', output: `The tests timed out.\n${run.output}` };
    case 'exceeded':
      return { kind: 'tests-failed', output: `The tests ${run.reason}.\n${run.output}` };
    case 'aborted':
      return { kind: 'stopped', reason: run.reason };
  }
}
