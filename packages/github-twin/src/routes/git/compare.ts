import { ApiError, notFound } from '../../basics/api-error.js';
import { listProposed } from '../../git/commits.js';
import { type Answer, ok, param } from '../../rest/call.js';
import { commitOr404 } from '../../rest/find-commit.js';
import { linkHeader, pageOf } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { viewCommit, viewFile } from '../../views/commit.js';
import { repoPage } from '../../views/repo.js';

export const compareRoutes = [repoRoute('GET', '/compare/{basehead}', 'read', compare)];

async function compare(call: RepoCall): Promise<Answer> {
  const [from, to] = param(call, 'basehead').split('...');
  if (!from || !to) throw notFound();
  const [base, head] = await Promise.all([commitOr404(call, from), commitOr404(call, to)]);
  const gitRepo = call.world.gitRepo(call.repo);
  const compared = await gitRepo.compare(base, head);
  if (!compared) throw new ApiError(404, `No common ancestor between ${from} and ${to}.`);
  const page =
    call.query.has('page') || call.query.has('per_page') ? pageOf(call.query) : { number: 1, size: 250 };
  const commits = (await listProposed(gitRepo.dir, { base, head })).slice(
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
    base_commit: viewCommit(call, call.repo, await gitRepo.readCommit(base)),
    merge_base_commit: viewCommit(call, call.repo, await gitRepo.readCommit(compared.mergeBase)),
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
