import type { RepoFile } from '@mergexo/core/prompts';
import type { Task } from '../task.js';

const MAX_BYTES = 200_000;

/** As people have merged them on the base branch: what a pull request changes about them does not count yet. */
export async function readRules({ slot, repo, baseSha, begun }: Task): Promise<RepoFile[]> {
  const paths = [
    repo.codingGuidelinesPath,
    '.mergexo/prompts/system_base.md',
    `.mergexo/prompts/${begun.turnKind}.md`,
  ];
  const files: RepoFile[] = [];
  for (const path of paths.filter((name) => name !== undefined)) {
    const content = await slot.readCommitted({ sha: baseSha, path, maxBytes: MAX_BYTES });
    if (content !== undefined) files.push({ path, text: content.toString('utf8') });
  }
  return files;
}
