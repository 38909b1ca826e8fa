import type { RepoFile } from '@mergexo/core/prompts';
import type { Slot } from '@mergexo/git';

type Wanted = { sha: string; paths: readonly string[]; maxBytes: number };

/** Reads these files from a commit. Skips missing files, links, binary files and files larger than `maxBytes`. */
export async function readTexts(
  slot: Pick<Slot, 'readCommitted'>,
  { sha, paths, maxBytes }: Wanted,
): Promise<RepoFile[]> {
  const files: RepoFile[] = [];
  for (const path of paths) {
    const content = await slot.readCommitted({ sha, path, maxBytes });
    if (content !== undefined && !content.includes(0)) files.push({ path, text: content.toString('utf8') });
  }
  return files;
}
