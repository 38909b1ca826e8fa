import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PromptFile } from '@mergexo/core/prompts';
import { removeTree } from '@mergexo/process';

/** A private directory next to the checkout, with files that the agent can read but not change. */
export type Handouts = {
  path: string;
  /** Replaces all files. Their names must come from MergeXO. */
  write(files: readonly PromptFile[]): Promise<void>;
  remove(): Promise<void>;
};

/** Opens the directory and removes the files of an earlier turn, which a killed worker may have left. */
export async function openHandouts(path: string): Promise<Handouts> {
  const clear = async (): Promise<void> => {
    await removeTree(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
  };
  await clear();
  return {
    path,
    async write(files) {
      await clear();
      for (const { name, text } of files) await writeFile(join(path, name), text, { mode: 0o600 });
    },
    remove: () => removeTree(path),
  };
}
