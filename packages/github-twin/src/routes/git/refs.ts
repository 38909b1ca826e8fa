import { z } from 'zod';
import { ApiError, notFound } from '../../basics/api-error.js';
import { syncRefs } from '../../domain/sync-refs.js';
import { moveRef } from '../../git/refs.js';
import { created, noContent, ok, param, readBody } from '../../rest/call.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { repoUrl } from '../../views/repo.js';
import { nodeId } from '../../views/user.js';

export const refRoutes = [
  repoRoute('GET', '/git/ref/{ref}', 'read', (call) => {
    refuseEmpty(call);
    const ref = `refs/${param(call, 'ref')}`;
    const sha = call.refs[ref];
    if (sha === undefined) throw notFound();
    return ok(viewRef(call, ref, sha));
  }),
  repoRoute('POST', '/git/refs', 'write', createRef),
  repoRoute('PATCH', '/git/refs/{ref}', 'write', updateRef),
  repoRoute('DELETE', '/git/refs/{ref}', 'write', async (call) => {
    const ref = `refs/${param(call, 'ref')}`;
    refuseProtected(call, ref);
    if (ref === `refs/heads/${call.repo.defaultBranch}`)
      throw new ApiError(422, 'Cannot delete the default branch');
    await change(call, ref, async (before) => {
      if (before === null) throw new ApiError(422, 'Reference does not exist');
      return null;
    });
    return noContent();
  }),
];

/** A repository without any commit has no refs to speak of, and GitHub says so. */
function refuseEmpty(call: RepoCall): void {
  if (Object.keys(call.refs).length === 0) throw new ApiError(409, 'Git Repository is empty.');
}

function viewRef(call: RepoCall, ref: string, sha: string) {
  const root = repoUrl(call, call.repo);
  return {
    ref,
    node_id: nodeId('REF', `${call.repo.id}:${ref}`),
    url: `${root}/git/${ref}`,
    object: { sha, type: 'commit', url: `${root}/git/commits/${sha}` },
  };
}

async function createRef(call: RepoCall) {
  const { ref, sha } = readBody(call, { ref: z.string(), sha: z.string() });
  refuseEmpty(call);
  // Git itself refuses names that are no refs; a NUL would end the name early.
  if (!/^refs\/(?:heads|tags)\/[^\0]+$/.test(ref))
    throw new ApiError(422, 'Reference name must start with refs/heads/ or refs/tags/');
  await checkCommit(call, sha);
  await change(call, ref, async (before) => {
    if (before !== null) throw new ApiError(422, 'Reference already exists');
    return sha;
  });
  return created(viewRef(call, ref, sha));
}

async function updateRef(call: RepoCall) {
  const ref = `refs/${param(call, 'ref')}`;
  const { sha, force } = readBody(call, { sha: z.string(), force: z.boolean().default(false) });
  refuseProtected(call, ref);
  await checkCommit(call, sha);
  await change(call, ref, async (before) => {
    if (before === null) throw new ApiError(422, 'Reference does not exist');
    const forward = await call.world.gitRepo(call.repo).isAncestor(before, sha);
    if (!forward && !force) throw new ApiError(422, 'Update is not a fast forward');
    return sha;
  });
  return ok(viewRef(call, ref, sha));
}

async function checkCommit(call: RepoCall, sha: string): Promise<void> {
  const found = /^[0-9a-f]{40}$/.test(sha) ? await call.world.gitRepo(call.repo).resolve(sha) : undefined;
  if (found === undefined) throw new ApiError(422, 'Object does not exist');
}

function refuseProtected(call: RepoCall, ref: string): void {
  if (call.repo.protectedBranches.some((branch) => ref === `refs/heads/${branch}`))
    throw new ApiError(422, `Changes must be made through a pull request: ${ref} is protected.`);
}

async function change(
  call: RepoCall,
  ref: string,
  decide: (before: string | null) => Promise<string | null>,
) {
  const { world, repo, user } = call;
  const gitRepo = world.gitRepo(repo);
  await gitRepo.lock(async () => {
    await syncRefs(world, repo, null);
    const before = world.store.refs.get(repo.id)?.refs[ref] ?? null;
    const after = await decide(before);
    if (!(await moveRef(gitRepo.dir, ref, { before, after })))
      throw new ApiError(422, 'Reference update failed');
    await syncRefs(world, repo, user);
  });
}
