import { compilePattern } from '@mergexo/core/text';
import type { PlanTools, Task } from '../task.js';
import { runOnFiles } from './test-commit.js';

/** Whether the required tests fail without the fix. `files`: the tests that the fix adds or changes. */
export type Proof =
  | { kind: 'unchecked' }
  | { kind: 'proved' | 'unproved'; files: readonly string[] }
  | { kind: 'stopped'; reason: string };

/** Maximum number of file names to list in a pull request. */
const MAX_FILES = 20;

/**
 * Runs the required tests on the base with only the commit's test files. They must fail there, because a test that
 * passes without the fix does not show the bug. Checks nothing unless the repository sets both `required_tests` and
 * `test_file_regex`. The result is `unchecked` if something other than a failing test could explain the outcome.
 */
export async function proveTests(
  tools: Pick<PlanTools, 'runSetup' | 'runTests' | 'testsSandbox'>,
  task: Task,
  sha: string,
): Promise<Proof> {
  const { slot, baseSha, repo } = task;
  const { requiredTests: path, testFileRegex } = repo;
  if (path === undefined || testFileRegex === undefined) return { kind: 'unchecked' };
  const files = await listTestFiles(task, { sha, testFileRegex });
  const tree = await slot.composeTree({ base: baseSha, from: sha, paths: new Set(files) });
  const run = await runOnFiles(tools, task, { sha: tree, path });
  // Tests that fail on the base alone would fail with any test file.
  const plain = run.kind === 'failed' ? await runOnFiles(tools, task, { sha: baseSha, path }) : undefined;
  await slot.prepareTests(sha);
  for (const ran of [run, plain]) if (ran?.kind === 'aborted') return { kind: 'stopped', reason: ran.reason };
  if (run.kind === 'passed') return { kind: 'unproved', files: files.slice(0, MAX_FILES) };
  // The other outcomes say nothing about the bug: the base has no tests, setup failed, for example because a registry
  // did not answer, or the run exceeded a limit.
  return plain?.kind === 'passed'
    ? { kind: 'proved', files: files.slice(0, MAX_FILES) }
    : { kind: 'unchecked' };
}

/** Lists the changed files whose paths match the pattern for tests. */
export async function listTestFiles(
  { slot, baseSha }: Pick<Task, 'slot' | 'baseSha'>,
  { sha, testFileRegex }: { sha: string; testFileRegex: string },
): Promise<string[]> {
  const pattern = compilePattern(testFileRegex);
  if (pattern.kind === 'rejected') throw new Error(`test_file_regex is invalid: ${pattern.reason}`);
  const files = await slot.compare({ base: baseSha, head: sha, maxFiles: 10_000 });
  return files.filter(({ path }) => pattern.matches(path)).map(({ path }) => path);
}
