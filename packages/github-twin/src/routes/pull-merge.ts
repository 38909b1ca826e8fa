import { z } from 'zod';
import { ApiError, notFound } from '../api-error.js';
import { mergePull, signatureOf } from '../domain/merge-pull.js';
import { syncRefs } from '../domain/sync-refs.js';
import { commitTree } from '../git/merge.js';
import { moveRef } from '../git/refs.js';
import { noContent, ok, readBody } from '../http/call.js';
import { listPage } from '../http/paginate.js';
import { viewCommit, viewFile } from '../views/commit.js';
import { listPullCommits } from './pull-full.js';
import { pullOf } from './pulls.js';
import { type RepoCall, repoRoute } from './repo-route.js';

export const pullMergeRoutes = [
  repoRoute('GET', '/pulls/{pull_number}/files', 'read', async (call) => {
    const { pull } = pullOf(call);
    const compared = await call.world.depot(call.repo).compare(pull.baseSha, pull.headSha);
    const files = (compared?.files ?? []).slice(0, 3_000);
    return listPage(call, files, (file) => viewFile(call, call.repo, pull.headSha, file));
  }),
  repoRoute('GET', '/pulls/{pull_number}/commits', 'read', async (call) =>
    listPage(call, await listPullCommits(call, pullOf(call)), (commit) =>
      viewCommit(call, call.repo, commit),
    ),
  ),
  repoRoute('GET', '/pulls/{pull_number}/merge', 'read', (call) => {
    if (pullOf(call).pull.mergedAt === null) throw notFound();
    return noContent();
  }),
  repoRoute('PUT', '/pulls/{pull_number}/merge', 'write', merge),
  repoRoute('PUT', '/pulls/{pull_number}/update-branch', 'write', updateBranch),
];

async function merge(call: RepoCall) {
  const body = readBody(call, {
    commit_title: z.string().optional(),
    commit_message: z.string().optional(),
    sha: z.string().optional(),
    merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  });
  const { number } = pullOf(call);
  const sha = await mergePull(call.world, call.repo, number, call.user, {
    method: body.merge_method,
    title: body.commit_title,
    message: body.commit_message,
    sha: body.sha,
  });
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}

/** Merges the base into the head branch: the button "Update branch". */
async function updateBranch(call: RepoCall) {
  const { world, repo, user } = call;
  const body = readBody(call, { expected_head_sha: z.string().optional() });
  const issue = pullOf(call);
  const { headSha, headRef, baseRef } = issue.pull;
  const base = call.refs[`refs/heads/${baseRef}`];
  if (body.expected_head_sha !== undefined && body.expected_head_sha !== headSha)
    throw new ApiError(422, `expected head sha didn’t match current head ref.`);
  if (base === undefined || (await world.depot(repo).isAncestor(base, headSha)))
    throw new ApiError(422, 'There are no new commits on the base branch.');
  await world.depot(repo).lock(async () => {
    const { dir, tryMerge } = world.depot(repo);
    const merged = await tryMerge(headSha, base);
    if (merged.kind === 'conflict') throw new ApiError(422, 'merge conflict between base and head');
    const message = `Merge branch '${baseRef}' into ${headRef}`;
    const parents = [headSha, base];
    const sha = await commitTree(dir, {
      tree: merged.tree,
      parents,
      message,
      signature: signatureOf(world, user),
    });
    if (!(await moveRef(dir, `refs/heads/${headRef}`, { before: headSha, after: sha })))
      throw new ApiError(422, 'expected head sha didn’t match current head ref.');
    await syncRefs(world, repo, user);
  });
  return {
    status: 202,
    body: {
      message: 'Updating pull request branch.',
      url: `${call.api}${call.path.replace(/\/update-branch$/, '')}`,
    },
  };
}
