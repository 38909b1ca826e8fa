import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkBranch } from '../run/check-names.js';
import { mustRun, type Repository } from '../run/run-git.js';

export type OverlayRequest = {
  /** The commit that gets the files. */
  onto: string;
  /** The commits that the files come from, each with its paths. A path that a commit lacks is removed. */
  from: readonly { sha: string; paths: readonly string[] }[];
  /** The branch that points to the new commit. */
  branch: string;
};

const NOBODY = { name: 'eval', email: 'eval@localhost' };
const NO_OBJECT = '0'.repeat(40);

/** Makes a commit with some files of other commits, without touching any checkout. Returns its sha. */
export async function overlayFiles(
  archive: Repository,
  { onto, from, branch }: OverlayRequest,
): Promise<string> {
  checkBranch(branch);
  const action = `putting files onto ${onto}`;
  const indexFile = join(archive.gitDir, 'overlay.index');
  const git = async (args: readonly string[], input?: Buffer): Promise<string> => {
    const stdout = await mustRun(archive, {
      action,
      args,
      indexFile,
      author: NOBODY,
      ...(input && { input }),
    });
    return stdout.toString().trim();
  };
  try {
    await git(['read-tree', onto]);
    for (const { sha, paths } of from)
      await git(['update-index', '--replace', '-z', '--index-info'], await listEntries(archive, sha, paths));
    const commit = await git(['commit-tree', await git(['write-tree']), '-p', onto, '-m', 'eval']);
    await git(['update-ref', `refs/heads/${branch}`, commit]);
    return commit;
  } finally {
    await rm(indexFile, { force: true });
  }
}

/** Lists index entries in the format of `git update-index --index-info`. Mode 0 removes a path. */
async function listEntries(archive: Repository, sha: string, paths: readonly string[]): Promise<Buffer> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', sha];
  const stdout = await mustRun(archive, { action: `listing ${sha}`, args });
  const entries = new Map(
    stdout
      .toString()
      .split('\0')
      .filter(Boolean)
      .map((entry) => [entry.slice(entry.indexOf('\t') + 1), entry]),
  );
  const lines = paths.map((path) => entries.get(path) ?? `0 ${NO_OBJECT}\t${path}`);
  return Buffer.from(lines.map((line) => `${line}\0`).join(''));
}
