import { syncRefs } from '../domain/sync-refs.js';
import { findMemoryRepo } from '../git/memory/memory-repos.js';
import type { Packed } from '../git/memory/objects.js';
import { moveRef } from '../git/refs.js';
import type { User } from '../store/rows.js';
import type { InRepo } from '../world/world.js';

export type ObjectPush = {
  branch: string;
  after: string;
  objects: readonly Packed[];
  /** The commit that the pusher expects on the branch, as with `--force-with-lease`. Null: no such branch. */
  expected: string | null;
};

/** Pushes a branch without a git process. Only a fast-forward from the expected commit succeeds. */
export function pushObjects(
  { world, repo, user }: InRepo & { user: User },
  { branch, after, objects, expected }: ObjectPush,
): Promise<'pushed' | 'rejected'> {
  const gitRepo = world.gitRepo(repo);
  const memory = findMemoryRepo(gitRepo.dir);
  if (memory === undefined) throw new Error(`${repo.name} is not in memory; push to it with git`);
  return gitRepo.lock(async () => {
    await syncRefs({ world, repo }, null);
    const before = gitRepo.branch(branch) ?? null;
    memory.objects.unpack(objects);
    if (before !== expected || (before !== null && !memory.isAncestor(before, after))) return 'rejected';
    await moveRef(gitRepo.dir, `refs/heads/${branch}`, { before, after });
    await syncRefs({ world, repo }, user);
    return 'pushed';
  });
}
