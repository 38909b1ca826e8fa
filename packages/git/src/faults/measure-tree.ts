import type { Limits } from '../repository/git-tools.js';
import { type Repository, runIn } from '../run/run-git.js';

/**
 * True if the commit has more files than a checkout may have. A tree with equal folders can name billions of files, and
 * git would need memory for each of them. False for a tree that git cannot read, which other checks refuse.
 */
export async function hasTooManyFiles(
  repository: Repository & { limits: Pick<Limits, 'slotFiles'> },
  sha: string,
): Promise<boolean> {
  const { slotFiles } = repository.limits;
  const { stdout } = await runIn(repository, {
    action: `counting the files of ${sha}`,
    // Prints one zero byte per file.
    args: ['ls-tree', '-r', '-z', '--full-tree', '--format=', sha],
    enoughBytes: slotFiles + 1,
  });
  return stdout.length > slotFiles;
}
