import { type EvalScore, type MeasuredFile, measureChange } from '@mergexo/core/eval';
import { compilePattern } from '@mergexo/core/text';
import type { Archive } from '@mergexo/git';
import type { TestBranch } from './test-branch.js';

/** The merged pull request, and where the agent started. */
export type RealChange = {
  archive: Archive;
  /** The commit that the pull request's branch started from. */
  base: string;
  headSha: string;
  mergeSha: string;
  /** The commit that the agent's branch started from: the base, or the reviewed commit of a feedback turn. */
  startSha: string;
};

/** The agent's last commit, which is the start itself if the agent changed nothing. */
export type AgentResult = { sha: string; bundle: string | null };

type Measures = Pick<EvalScore, 'testsPass' | 'regressed' | 'fileOverlap' | 'sizeRatio'>;

/** Compares the agent's result with the real change, and runs the tests on the result. */
export async function scoreChange(
  real: RealChange,
  { sha, bundle }: AgentResult,
  {
    testBranch,
    testFileRegex,
    requiredTests,
  }: { testBranch: TestBranch; testFileRegex: string | undefined; requiredTests: string | undefined },
): Promise<Measures> {
  const { archive, startSha, headSha } = real;
  if (bundle !== null) {
    const imported = await archive.importBundle({ startSha, sha }, Buffer.from(bundle, 'base64'));
    if (imported.kind === 'invalid') throw new Error(`the agent's commits are damaged: ${imported.reason}`);
  }
  const actual: MeasuredFile[] = await archive.measure({ base: startSha, head: sha });
  const measures = measureChange(actual, await archive.measure({ base: startSha, head: headSha }));
  if (requiredTests === undefined) return { ...measures, testsPass: null, regressed: null };
  const tests = await listTests(real, requiredTests, testFileRegex);
  const branches = await layTests(real, sha, tests);
  const passes = await testBranch('old-tests', branches.oldTests);
  return {
    ...measures,
    testsPass: tests.added.length === 0 ? null : await testBranch('new-tests', branches.newTests),
    regressed: passes === null ? null : !passes,
  };
}

/**
 * `added`: test files that the pull request changed. `kept`: test files of the base that the pull request did not
 * change.
 */
type Tests = { added: readonly string[]; kept: readonly string[] };

async function listTests(
  { archive, base, headSha }: RealChange,
  requiredTests: string,
  testFileRegex: string | undefined,
): Promise<Tests> {
  const pattern = testFileRegex === undefined ? undefined : compilePattern(testFileRegex);
  const isTest = (path: string): boolean =>
    path === requiredTests || (pattern?.kind === 'compiled' && pattern.matches(path));
  const changed = (await archive.measure({ base, head: headSha })).map(({ path }) => path);
  const added = changed.filter(isTest);
  const replaced = new Set(added);
  const kept = (await archive.listFiles(base)).filter((path) => isTest(path) && !replaced.has(path));
  return { added, kept };
}

/**
 * Creates two commits from the agent's result: one with the tests of the merge, and one with only the
 * unchanged tests of the base. Both undo the agent's edits to tests that the pull request did not change.
 */
async function layTests({ archive, base, mergeSha }: RealChange, sha: string, { added, kept }: Tests) {
  const old = { sha: base, paths: kept };
  return {
    oldTests: await archive.overlay({ onto: sha, from: [old], branch: 'old-tests' }),
    newTests: await archive.overlay({
      onto: sha,
      from: [old, { sha: mergeSha, paths: added }],
      branch: 'new-tests',
    }),
  };
}
