import { ApiError, notFound } from '../basics/api-error.js';
import type { RepoCall } from './repo-route.js';

/** The commit that a branch, tag or sha of a request names. Known refs are answered without asking git. */
export async function commitOf(call: RepoCall, name: string): Promise<string> {
  const plain = name.replace(/^(?:refs\/)?heads\//, '');
  const known =
    call.refs[`refs/heads/${plain}`] ?? call.refs[`refs/tags/${name.replace(/^(?:refs\/)?tags\//, '')}`];
  const sha = known ?? (await call.world.gitRepo(call.repo).resolve(name));
  if (sha === undefined) throw new ApiError(422, `No commit found for SHA: ${name}`);
  return sha;
}

export async function commitOr404(call: RepoCall, name: string): Promise<string> {
  const owner = `${call.repo.owner}:`;
  try {
    return await commitOf(call, name.startsWith(owner) ? name.slice(owner.length) : name);
  } catch {
    throw notFound();
  }
}
