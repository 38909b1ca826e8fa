import { z } from 'zod';
import { ApiError, notFound } from '../api-error.js';
import { signatureOf } from '../domain/merge-pull.js';
import { syncRefs } from '../domain/sync-refs.js';
import { countCommits, listCommits } from '../git/commits.js';
import { diffText } from '../git/diff.js';
import { commitTree } from '../git/merge.js';
import { moveRef } from '../git/refs.js';
import { type Answer, noContent, ok, param, readBody } from '../http/call.js';
import { mediaOf } from '../http/media.js';
import { linkHeader, pageOf } from '../http/paginate.js';
import { viewCommit, viewFile } from '../views/commit.js';
import { repoPage } from '../views/repo.js';
import { type RepoCall, repoRoute } from './repo-route.js';
import { commitOr404 } from './resolve.js';

export const compareRoutes = [
  repoRoute('GET', '/compare/{basehead}', 'read', compare),
  repoRoute('POST', '/merges', 'write', mergeBranches),
];

async function compare(call: RepoCall): Promise<Answer> {
  const [from, to] = param(call, 'basehead').split('...');
  if (!from || !to) throw notFound();
  const [base, head] = await Promise.all([commitOr404(call, from), commitOr404(call, to)]);
  const depot = call.world.depot(call.repo);
  const compared = await depot.compare(base, head);
  if (!compared) throw new ApiError(404, `No common ancestor between ${from} and ${to}.`);
  if (mediaOf(call.accept) === 'diff')
    return {
      status: 200,
      text: {
        type: 'application/vnd.github.diff; charset=utf-8',
        content: await diffText(depot.dir, compared.mergeBase, head),
      },
    };
  const page =
    call.query.has('page') || call.query.has('per_page') ? pageOf(call.query) : { number: 1, size: 250 };
  const range = ['--reverse', '--topo-order', `${base}..${head}`];
  const commits = (await listCommits(depot.dir, { range })).slice(
    (page.number - 1) * page.size,
    page.number * page.size,
  );
  const url = `${call.api}${call.path}`;
  const web = `${repoPage(call, call.repo)}/compare/${from}...${to}`;
  const body = {
    url,
    html_url: web,
    permalink_url: `${repoPage(call, call.repo)}/compare/${base}...${head}`,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    base_commit: viewCommit(call, call.repo, await depot.readCommit(base)),
    merge_base_commit: viewCommit(call, call.repo, await depot.readCommit(compared.mergeBase)),
    status: toStatus(compared.aheadBy, compared.behindBy),
    ahead_by: compared.aheadBy,
    behind_by: compared.behindBy,
    total_commits: compared.aheadBy,
    commits: commits.map((commit) => viewCommit(call, call.repo, commit)),
    // Files come with the first page only, and never more than 300.
    files:
      page.number > 1
        ? []
        : compared.files.slice(0, 300).map((file) => viewFile(call, call.repo, head, file)),
  };
  return ok(body, linkHeader(call, page, compared.aheadBy));
}

function toStatus(ahead: number, behind: number): string {
  if (ahead > 0 && behind > 0) return 'diverged';
  return ahead > 0 ? 'ahead' : behind > 0 ? 'behind' : 'identical';
}

async function mergeBranches(call: RepoCall): Promise<Answer> {
  const { world, repo, user } = call;
  const body = readBody(call, { base: z.string(), head: z.string(), commit_message: z.string().optional() });
  const depot = world.depot(repo);
  const ref = `refs/heads/${body.base}`;
  const [base, head] = [call.refs[ref], await commitOr404(call, body.head)];
  if (base === undefined) throw new ApiError(404, 'Base does not exist');
  if ((await countCommits(depot.dir, [`${base}..${head}`])) === 0) return noContent();
  return depot.lock(async () => {
    const merged = await depot.tryMerge(base, head);
    if (merged.kind === 'conflict') throw new ApiError(409, 'Merge conflict');
    const message = body.commit_message ?? `Merge ${body.head} into ${body.base}`;
    const signature = signatureOf(world, user);
    const sha = await commitTree(depot.dir, { tree: merged.tree, parents: [base, head], message, signature });
    if (!(await moveRef(depot.dir, ref, { before: base, after: sha })))
      throw new ApiError(409, 'Base branch was modified');
    await syncRefs(world, repo, user);
    return { status: 201, body: viewCommit(call, repo, await depot.readCommit(sha)) };
  });
}
