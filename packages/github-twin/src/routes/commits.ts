import { ApiError, notFound } from '../api-error.js';
import { listPulls } from '../domain/issues.js';
import { findUser } from '../domain/users.js';
import { countCommits, listCommits } from '../git/commits.js';
import { isTreePath } from '../git/contents.js';
import { diffFiles, diffText } from '../git/diff.js';
import { type Answer, ok, param } from '../http/call.js';
import { mediaOf } from '../http/media.js';
import { linkHeader, listPage, pageOf } from '../http/paginate.js';
import { viewCommit, viewFile } from '../views/commit.js';
import { viewPullSimple } from '../views/pull.js';
import { type RepoCall, repoRoute } from './repo-route.js';
import { commitOf, commitOr404 } from './resolve.js';

/** Git's name for "nothing": the empty tree, which every repository knows. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export const commitRoutes = [
  repoRoute('GET', '/commits', 'read', listRepoCommits),
  repoRoute('GET', '/commits/{ref}', 'read', readOne),
  repoRoute('GET', '/commits/{commit_sha}/pulls', 'read', async (call) => {
    const sha = await commitOf(call, param(call, 'commit_sha'));
    const depot = call.world.depot(call.repo);
    const pulls = listPulls(call.world, call.repo);
    const contains = await Promise.all(
      pulls.map(
        async ({ pull }) =>
          pull.mergeCommitSha === sha ||
          ((await depot.isAncestor(sha, pull.headSha)) && !(await depot.isAncestor(sha, pull.baseSha))),
      ),
    );
    const rows = pulls.filter((_, index) => contains[index]);
    return listPage(call, rows, (issue) => viewPullSimple(call, call.repo, issue));
  }),
];

async function listRepoCommits(call: RepoCall): Promise<Answer> {
  const { query, repo, world } = call;
  if (Object.keys(call.refs).length === 0) throw new ApiError(409, 'Git Repository is empty.');
  const start = await commitOr404(call, query.get('sha') ?? repo.defaultBranch);
  const { dir } = world.depot(repo);
  const filters = [
    ...textFilter('--since', query.get('since')),
    ...textFilter('--until', query.get('until')),
    ...personFilter(call, '--author', query.get('author')),
    ...personFilter(call, '--committer', query.get('committer')),
  ];
  const range = [...filters, start];
  const path = query.get('path')?.replace(/^\/+|\/+$/g, '');
  if (path !== undefined && !isTreePath(path)) throw notFound();
  const page = pageOf(query);
  const [commits, total] = await Promise.all([
    listCommits(dir, { range, skip: (page.number - 1) * page.size, limit: page.size, path }),
    countCommits(dir, range, path),
  ]);
  return ok(
    commits.map((commit) => viewCommit(call, repo, commit)),
    linkHeader(call, page, total),
  );
}

const textFilter = (flag: string, value: string | null) => (value === null ? [] : [`${flag}=${value}`]);

function personFilter(call: RepoCall, flag: string, value: string | null): string[] {
  return value === null ? [] : ['--fixed-strings', `${flag}=${findUser(call.world, value)?.email ?? value}`];
}

async function readOne(call: RepoCall): Promise<Answer> {
  const { dir, readCommit } = call.world.depot(call.repo);
  const sha = await commitOf(call, param(call, 'ref'));
  const media = mediaOf(call.accept);
  if (media === 'sha')
    return { status: 200, text: { type: 'application/vnd.github.sha; charset=utf-8', content: sha } };
  const commit = await readCommit(sha);
  const parent = commit.parents[0] ?? EMPTY_TREE;
  if (media === 'diff')
    return {
      status: 200,
      text: { type: 'application/vnd.github.diff; charset=utf-8', content: await diffText(dir, parent, sha) },
    };
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
