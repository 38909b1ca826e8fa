import { type CommitInfo, listProposed } from '../git/commits.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { World } from '../world/world.js';

/** The commits that a pull request proposes, oldest first, at most 250 as on GitHub. */
export async function listPullCommits(world: World, repo: Repo, { pull }: PullIssue): Promise<CommitInfo[]> {
  const { dir } = world.gitRepo(repo);
  return (await listProposed(dir, { base: pull.baseSha, head: pull.headSha })).slice(0, 250);
}
