import { notFound } from '../../basics/api-error.js';
import { ok, param, refuseUnsupported } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { viewCommit } from '../../views/commit.js';
import { repoPage, repoUrl } from '../../views/repo.js';

export const branchRoutes = [
  repoRoute('GET', '/branches', 'read', (call) => {
    refuseUnsupported(call, ['protected']);
    const branches = Object.entries(call.refs)
      .filter(([ref]) => ref.startsWith('refs/heads/'))
      .map(([ref, sha]) => ({ name: ref.slice('refs/heads/'.length), sha }));
    return listPage(call, branches, ({ name, sha }) => ({
      name,
      commit: { sha, url: `${repoUrl(call, call.repo)}/commits/${sha}` },
      protected: isProtected(call, name),
    }));
  }),
  repoRoute('GET', '/branches/{branch}', 'read', async (call) => {
    const name = param(call, 'branch');
    const sha = call.refs[`refs/heads/${name}`];
    if (sha === undefined) throw notFound();
    const self = `${repoUrl(call, call.repo)}/branches/${name}`;
    return ok({
      name,
      commit: viewCommit(call, call.repo, await call.world.gitRepo(call.repo).readCommit(sha)),
      _links: { self, html: `${repoPage(call, call.repo)}/tree/${name}` },
      protected: isProtected(call, name),
      protection: { enabled: isProtected(call, name) },
      protection_url: `${self}/protection`,
    });
  }),
];

function isProtected(call: RepoCall, name: string): boolean {
  return call.repo.protectedBranches.includes(name);
}
