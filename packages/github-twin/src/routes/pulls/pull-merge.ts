import { z } from 'zod';
import { refusedByTwin } from '../../basics/api-error.js';
import { mergePull } from '../../domain/merge-pull.js';
import { listPullCommits } from '../../domain/pull-commits.js';
import { ok, readBody } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { viewCommit, viewFile } from '../../views/commit.js';
import { pullOf } from './pulls.js';

export const pullMergeRoutes = [
  repoRoute('GET', '/pulls/{pull_number}/files', 'read', async (call) => {
    const { pull } = pullOf(call);
    const compared = await call.world.gitRepo(call.repo).compare(pull.baseSha, pull.headSha);
    const files = (compared?.files ?? []).slice(0, 3_000);
    return listPage(call, files, (file) => viewFile(call, call.repo, pull.headSha, file));
  }),
  repoRoute('GET', '/pulls/{pull_number}/commits', 'read', async (call) =>
    listPage(call, await listPullCommits(call.world, call.repo, pullOf(call)), (commit) =>
      viewCommit(call, call.repo, commit),
    ),
  ),
  repoRoute('PUT', '/pulls/{pull_number}/merge', 'write', merge),
];

async function merge(call: RepoCall) {
  const body = readBody(call, {
    commit_title: z.string().optional(),
    commit_message: z.string().optional(),
    sha: z.string().optional(),
    merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  });
  const { number } = pullOf(call);
  if (body.merge_method === 'rebase') throw refusedByTwin(501, 'it does not rebase pull requests');
  const sha = await mergePull(call.world, call.repo, number, call.user, {
    method: body.merge_method,
    title: body.commit_title,
    message: body.commit_message,
    sha: body.sha,
  });
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}
