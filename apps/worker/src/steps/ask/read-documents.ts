import type { RepoFile } from '@mergexo/core/prompts';
import { chooseDocuments } from '@mergexo/core/review';
import type { Task } from '../task.js';

const MAX_BYTES = 1_000_000;

/** What the work was to be, as the branch has it. To be asked before the agent is let into the slot. */
export async function readDocuments(
  { slot, startSha }: Pick<Task, 'slot' | 'startSha'>,
  about: { designDocPath: string | null; changedFiles: readonly string[] },
): Promise<RepoFile[]> {
  const documents: RepoFile[] = [];
  for (const path of chooseDocuments(await slot.listFiles(), about)) {
    const content = await slot.readCommitted({ sha: startSha, path, maxBytes: MAX_BYTES });
    if (content !== undefined) documents.push({ path, text: content.toString('utf8') });
  }
  return documents;
}
