import { freshRefs, syncRefs } from '../domain/sync-refs.js';
import { moveRef } from '../git/refs.js';
import { type FileContents, writeCommit } from '../git/write-files.js';
import type { Repo, User } from '../store/rows.js';
import type { World } from '../world/world.js';

export type PushOptions = { message?: string; from?: string; force?: boolean };
export type Push = PushOptions & { branch: string; files: FileContents };

/** A real commit on a real branch, as if somebody had pushed it. */
export async function pushFiles(world: World, repo: Repo, user: User, push: Push): Promise<string> {
  const gitRepo = world.gitRepo(repo);
  await freshRefs(world, repo);
  return gitRepo.lock(async () => {
    const refs = world.store.refs.get(repo.id)?.refs ?? {};
    const ref = `refs/heads/${push.branch}`;
    const before = refs[ref] ?? null;
    const start = push.from === undefined ? undefined : await gitRepo.resolve(push.from);
    const parent = start ?? before ?? refs[`refs/heads/${repo.defaultBranch}`] ?? null;
    if (before !== null && parent !== before && !push.force)
      throw new Error(`${push.branch} exists: this is no fast-forward`);
    const sha = await writeCommit(gitRepo.dir, {
      files: push.files,
      message: push.message ?? `Change ${Object.keys(push.files).join(', ')}`,
      parent,
      author: { name: user.name ?? user.login, email: user.email },
      atMs: world.clock.now(),
    });
    if (!(await moveRef(gitRepo.dir, ref, { before, after: sha })))
      throw new Error(`${push.branch} moved meanwhile`);
    await syncRefs(world, repo, user);
    return sha;
  });
}
