import { z } from 'zod';
import { ApiError, notFound } from '../../basics/api-error.js';
import { syncRefs } from '../../domain/sync-refs.js';
import { isSha, listProposed } from '../../git/commits.js';
import { moveRef } from '../../git/refs.js';
import { type Answer, created, noContent, ok, param, readBody, refuseUnsupported } from '../../rest/call.js';
import { linkHeader, listPage, pageOf, slicePage } from '../../rest/lists.js';
import { commitOf, commitOr404, type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { viewCommit, viewFile } from '../../views/commit.js';
import { repoPage, repoUrl } from '../../views/repo.js';
import { nodeId } from '../../views/user.js';

export const gitDataRoutes = [
  repoRoute('GET /branches', (call) => {
    refuseUnsupported(call, ['protected']);
    const branches = Object.entries(call.world.gitRepo(call.repo).refs())
      .filter(([ref]) => ref.startsWith('refs/heads/'))
      .map(([ref, sha]) => ({ name: ref.slice('refs/heads/'.length), sha }));
    return listPage(call, branches, (_, { name, sha }) => ({
      name,
      commit: { sha, url: `${repoUrl(call)}/commits/${sha}` },
      ...viewProtection(call, name),
    }));
  }),
  repoRoute('GET /branches/{branch}', readBranch),
  repoRoute('GET /commits/{ref}', readCommit),
  repoRoute('GET /compare/{basehead}', compare),
  repoRoute('GET /git/ref/{ref}', (call) => {
    refuseEmpty(call);
    const ref = `refs/${param(call, 'ref')}`;
    const sha = call.world.gitRepo(call.repo).refs()[ref];
    if (sha === undefined) throw notFound();
    return ok(viewRef(call, ref, sha));
  }),
  repoRoute('POST /git/refs', createRef, 'write'),
  repoRoute('PATCH /git/refs/{ref}', updateRef, 'write'),
  repoRoute('DELETE /git/refs/{ref}', deleteRef, 'write'),
];

async function readBranch(call: RepoCall): Promise<Answer> {
  const name = param(call, 'branch');
  const gitRepo = call.world.gitRepo(call.repo);
  const sha = gitRepo.branch(name);
  if (sha === undefined) throw notFound();
  const self = `${repoUrl(call)}/branches/${name}`;
  return ok({
    name,
    commit: viewCommit(call, await gitRepo.readCommit(sha)),
    _links: { self, html: `${repoPage(call)}/tree/${name}` },
    ...viewProtection(call, name),
  });
}

/** The twin requires pull requests for protected branches, but no checks. */
function viewProtection(call: RepoCall, name: string) {
  const enabled = call.repo.protectedBranches.includes(name);
  return {
    protected: enabled,
    protection: { enabled, required_status_checks: { enforcement_level: 'off', contexts: [], checks: [] } },
    protection_url: `${repoUrl(call)}/branches/${name}/protection`,
  };
}

async function readCommit(call: RepoCall): Promise<Answer> {
  const gitRepo = call.world.gitRepo(call.repo);
  const commit = await gitRepo.readCommit(await commitOf(call, param(call, 'ref')));
  const files = await gitRepo.readChanges(commit);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const page = pageOf(call.query, 300);
  const body = {
    ...viewCommit(call, commit),
    stats: { total: additions + deletions, additions, deletions },
    files: slicePage(files, page).map((file) => viewFile(call, commit.sha, file)),
  };
  return ok(body, linkHeader(call, page, files.length));
}

async function compare(call: RepoCall): Promise<Answer> {
  const [from, to] = param(call, 'basehead').split('...');
  if (!from || !to) throw notFound();
  const [base, head] = await Promise.all([commitOr404(call, from), commitOr404(call, to)]);
  const gitRepo = call.world.gitRepo(call.repo);
  const compared = await gitRepo.compare(base, head);
  if (!compared) throw new ApiError(404, `No common ancestor between ${from} and ${to}.`);
  const { aheadBy, behindBy, mergeBase, files } = compared;
  const page = pageOf(call.query, 250);
  const commits = slicePage(await listProposed(gitRepo.dir, { base, head }), page);
  const web = `${repoPage(call)}/compare`;
  const body = {
    url: `${call.api}${call.path}`,
    html_url: `${web}/${from}...${to}`,
    permalink_url: `${web}/${base}...${head}`,
    diff_url: `${web}/${from}...${to}.diff`,
    patch_url: `${web}/${from}...${to}.patch`,
    base_commit: viewCommit(call, await gitRepo.readCommit(base)),
    merge_base_commit: viewCommit(call, await gitRepo.readCommit(mergeBase)),
    status: aheadBy > 0 ? (behindBy > 0 ? 'diverged' : 'ahead') : behindBy > 0 ? 'behind' : 'identical',
    ahead_by: aheadBy,
    behind_by: behindBy,
    total_commits: aheadBy,
    commits: commits.map((commit) => viewCommit(call, commit)),
    // As on GitHub, only the first page has files, at most 300 of them.
    files: page.number > 1 ? [] : files.slice(0, 300).map((file) => viewFile(call, head, file)),
  };
  return ok(body, linkHeader(call, page, aheadBy));
}

/** Throws GitHub's 409 for a repository without commits. */
function refuseEmpty({ world, repo }: RepoCall): void {
  if (Object.keys(world.gitRepo(repo).refs()).length === 0)
    throw new ApiError(409, 'Git Repository is empty.');
}

function viewRef(call: RepoCall, ref: string, sha: string) {
  const root = repoUrl(call);
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
  // Git rejects other invalid names, but a NUL would end the name early.
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
  const { sha, force } = readBody(call, { sha: z.string(), force: z.boolean().default(false) });
  const ref = unprotectedRef(call);
  await checkCommit(call, sha);
  await change(call, ref, async (before) => {
    if (before === null) throw new ApiError(422, 'Reference does not exist');
    const forward = await call.world.gitRepo(call.repo).isAncestor(before, sha);
    if (!forward && !force) throw new ApiError(422, 'Update is not a fast forward');
    return sha;
  });
  return ok(viewRef(call, ref, sha));
}

async function deleteRef(call: RepoCall) {
  const ref = unprotectedRef(call);
  if (ref === `refs/heads/${call.repo.defaultBranch}`)
    throw new ApiError(422, 'Cannot delete the default branch');
  await change(call, ref, async (before) => {
    if (before === null) throw new ApiError(422, 'Reference does not exist');
    return null;
  });
  return noContent();
}

async function checkCommit(call: RepoCall, sha: string): Promise<void> {
  const found = isSha(sha) ? await call.world.gitRepo(call.repo).resolve(sha) : undefined;
  if (found === undefined) throw new ApiError(422, 'Object does not exist');
}

/** Returns the ref in the path. Throws if it is a protected branch. */
function unprotectedRef(call: RepoCall): string {
  const ref = `refs/${param(call, 'ref')}`;
  if (call.repo.protectedBranches.some((branch) => ref === `refs/heads/${branch}`))
    throw new ApiError(422, `Changes must be made through a pull request: ${ref} is protected.`);
  return ref;
}

type Decide = (before: string | null) => Promise<string | null>;

async function change(call: RepoCall, ref: string, decide: Decide): Promise<void> {
  const gitRepo = call.world.gitRepo(call.repo);
  await gitRepo.lock(async () => {
    await syncRefs(call, null);
    const before = gitRepo.refs()[ref] ?? null;
    const after = await decide(before);
    if (!(await moveRef(gitRepo.dir, ref, { before, after })))
      throw new ApiError(422, 'Reference update failed');
    await syncRefs(call, call.user);
  });
}
