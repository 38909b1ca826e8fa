import { failpoint } from '@mergexo/core/basics';
import type { RunTests, Task } from './task.js';

export type Verdict =
  | { kind: 'good' }
  | { kind: 'tests-failed'; output: string }
  | { kind: 'stopped'; reason: string };

const MAX_TEST_PROGRAM = 16 * 1024 * 1024;

/** Judges exactly the commit, not the directory that it came from. */
export async function judgeCommit(judge: RunTests, task: Task, sha: string): Promise<Verdict> {
  const path = task.repo.requiredTests;
  const verdict = path === undefined ? GOOD : await runTests(judge, task, { sha, path });
  failpoint('worker:tests-passed');
  return verdict;
}

const GOOD: Verdict = { kind: 'good' };

async function runTests(
  judge: RunTests,
  task: Task,
  { sha, path }: { sha: string; path: string },
): Promise<Verdict> {
  const { slot, startSha } = task;
  // Whether the start has them decides: an agent that removes them does not get around them.
  await slot.prepareTests(startSha);
  const before = await slot.readRegularFile(path, MAX_TEST_PROGRAM);
  await slot.prepareTests(sha);
  const run = await judge(task, path);
  // Again, so that what the tests left behind is not taken for the agent's work in the next round.
  await slot.prepareTests(sha);
  switch (run.kind) {
    case 'passed':
      return GOOD;
    case 'absent':
      if (before.kind === 'absent') return GOOD;
      return { kind: 'tests-failed', output: `${path} cannot be run any more: ${run.reason}` };
    case 'failed':
      return { kind: 'tests-failed', output: run.output };
    case 'timed-out':
      return { kind: 'tests-failed', output: `The tests did not end in time.\n${run.output}` };
    case 'aborted':
      return { kind: 'stopped', reason: run.reason };
  }
}
