import type { TestsRun } from '@mergexo/agents';
import { failpoint, neutraliseText, type WaitKind } from '@mergexo/core';
import type { Idea } from './ask-for-start.js';
import type { Commit, Start } from './plan-start.js';

/** Runs the repository's own tests on what is in the slot. */
export type Judge = (start: Start, path: string) => Promise<TestsRun>;

type Checked =
  | { kind: 'good'; commit: Commit }
  | { kind: 'wait'; waitKind: WaitKind; reason: string }
  | { kind: 'tests-failed'; output: string }
  | { kind: 'stopped'; reason: string };

/** Turns the edits into a commit and judges exactly that commit, not the directory that it came from. */
export async function checkWork(
  judge: Judge,
  start: Start,
  idea: Extract<Idea, { kind: 'work' }>,
): Promise<Checked> {
  const { slot, startSha, begun, repo, context } = start;
  if (idea.document !== null) {
    // A design is a document: whatever else the agent left in the directory is not part of it.
    await slot.prepareTests(startSha);
    const written = await slot.writeFile(idea.document.path, idea.document.text);
    if (written.kind !== 'written') {
      return { kind: 'wait', waitKind: 'agent_blocked', reason: `${idea.document.path} cannot be written.` };
    }
  }
  const trailer = `MergeXO-Turn: ${begun.turnKey}`;
  const collected = await slot.collect({ startSha, message: neutraliseText(idea.commitMessage), trailer });
  switch (collected.kind) {
    case 'empty':
      return { kind: 'wait', waitKind: 'no_changes', reason: 'No file differs from the base branch.' };
    case 'rewritten':
      return {
        kind: 'wait',
        waitKind: 'history_rewritten',
        reason: `Expected a descendant of ${collected.expected}, found ${collected.observed ?? 'no head at all'}.`,
      };
    case 'too-large':
      return {
        kind: 'wait',
        waitKind: 'agent_blocked',
        reason: `The commits have ${collected.bytes} bytes; 20 MB is the limit.`,
      };
    case 'invalid':
      return {
        kind: 'wait',
        waitKind: 'agent_blocked',
        reason: `git refuses the commits: ${collected.reason}`,
      };
    case 'collected':
  }
  failpoint('worker:commit-made');
  const { sha, bundle, files } = collected;
  if (context.flow === 'bugfix' && repo.testFileRegex !== undefined) {
    const pattern = new RegExp(repo.testFileRegex);
    if (!files.some(({ path }) => pattern.test(path))) {
      return {
        kind: 'wait',
        waitKind: 'tests_missing',
        reason: `No changed file matches \`${repo.testFileRegex}\`.`,
      };
    }
  }
  const verdict = await runTests(judge, start, sha);
  failpoint('worker:tests-passed');
  return verdict ?? { kind: 'good', commit: { sha, bundle } };
}

const MAX_TEST_PROGRAM = 16 * 1024 * 1024;

/** Undefined when nothing speaks against the commit. */
async function runTests(judge: Judge, start: Start, sha: string): Promise<Checked | undefined> {
  const { repo, slot } = start;
  if (repo.requiredTests === undefined) return undefined;
  // Whether the base has them decides: an agent that removes them does not get around them.
  await slot.prepareTests(start.startSha);
  const before = await slot.readRegularFile(repo.requiredTests, MAX_TEST_PROGRAM);
  await slot.prepareTests(sha);
  const run = await judge(start, repo.requiredTests);
  // Again, so that what the tests left behind is not taken for the agent's work in the next round.
  await slot.prepareTests(sha);
  switch (run.kind) {
    case 'passed':
      return undefined;
    case 'absent':
      if (before.kind === 'absent') return undefined;
      return { kind: 'tests-failed', output: `${repo.requiredTests} cannot be run any more: ${run.reason}` };
    case 'failed':
      return { kind: 'tests-failed', output: run.output };
    case 'timed-out':
      return { kind: 'tests-failed', output: `The tests did not end in time.\n${run.output}` };
    case 'aborted':
      return { kind: 'stopped', reason: run.reason };
  }
}
