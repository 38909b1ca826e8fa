import { explainProgram } from '@mergexo/agents';
import type { PlanTools, Task } from '../task.js';

const MAX_TEST_PROGRAM = 16 * 1024 * 1024;

/**
 * Explains to people why the required tests cannot run; undefined if they can. Called before the agent starts, because
 * MergeXO would discard untested work.
 */
export async function explainUntestable(
  { testsSandbox }: Pick<PlanTools, 'testsSandbox'>,
  { repo, slot, startSha, baseSha }: Pick<Task, 'repo' | 'slot' | 'startSha' | 'baseSha'>,
): Promise<string | undefined> {
  const path = repo.requiredTests;
  if (path === undefined) return undefined;
  if (testsSandbox.kind === 'refused')
    return `\`required_tests\` cannot run on this worker: ${testsSandbox.reason}. ${testsSandbox.fix}`;
  const fault = explainProgram(slot.path, path);
  if (fault === undefined) return undefined;
  // A branch may be older than the tests of its base. Its work is tested after the tests are merged into the branch.
  const isOlder =
    startSha !== baseSha &&
    (await slot.readRegularFile(path, 1)).kind === 'absent' &&
    (await slot.readCommitted({ sha: baseSha, path, maxBytes: MAX_TEST_PROGRAM })) !== undefined;
  if (isOlder) return undefined;
  return `\`required_tests\` cannot run: ${fault}. Add it to \`${repo.defaultBranch}\` as an executable file, or change \`required_tests\` in mergexo.toml.`;
}
