import type { RepoFile } from '@mergexo/core/prompts';
import { chooseDocuments } from '@mergexo/core/review';
import type { Task } from '../task.js';
import { MAX_CHANGED_FILES } from './build-request.js';
import { readTexts } from './read-texts.js';

const MAX_BYTES = 1_000_000;

/** Lists the paths that the branch changes relative to the base, as the pull request does. */
export async function listChangedFiles({ slot, baseSha, startSha }: Task): Promise<string[]> {
  const files = await slot.compare({ base: baseSha, head: startSha, maxFiles: MAX_CHANGED_FILES });
  return files.map(({ path }) => path);
}

/** The branch of a pull request, and the documents that describe its task. */
export type Branch = { changedFiles: string[]; documents: RepoFile[] };

/**
 * Returns the changed paths and the documents that describe the task. The documents come from the base branch, because
 * the author of a change must not write its reviewer's instructions.
 */
export async function readBranch(
  task: Task,
  { designDocPath }: { designDocPath: string | null },
): Promise<Branch> {
  const { slot, baseSha: sha } = task;
  const changedFiles = await listChangedFiles(task);
  const paths = chooseDocuments(await slot.listCommitted(sha), { designDocPath, changedFiles });
  return { changedFiles, documents: await readTexts(slot, { sha, paths, maxBytes: MAX_BYTES }) };
}
