import { diffFiles } from '../../git/diff.js';
import { type Answer, ok, param } from '../../rest/call.js';
import { commitOf } from '../../rest/find-commit.js';
import { linkHeader, pageOf } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { viewCommit, viewFile } from '../../views/commit.js';

/** Git's name for "nothing": the empty tree, which every repository knows. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const commitRoutes = [repoRoute('GET', '/commits/{ref}', 'read', readOne)];

async function readOne(call: RepoCall): Promise<Answer> {
  const { dir, readCommit } = call.world.gitRepo(call.repo);
  const sha = await commitOf(call, param(call, 'ref'));
  const commit = await readCommit(sha);
  const parent = commit.parents[0] ?? EMPTY_TREE;
  const files = await diffFiles(dir, parent, sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  const page =
    call.query.has('page') || call.query.has('per_page') ? pageOf(call.query) : { number: 1, size: 300 };
  const shown = files.slice((page.number - 1) * page.size, page.number * page.size);
  return ok(
    {
      ...viewCommit(call, call.repo, commit),
      stats: { total: additions + deletions, additions, deletions },
      files: shown.map((file) => viewFile(call, call.repo, sha, file)),
    },
    linkHeader(call, page, files.length),
  );
}
