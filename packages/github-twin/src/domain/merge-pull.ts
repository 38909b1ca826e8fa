import { ApiError } from '../basics/api-error.js';
import { listCommits } from '../git/commits.js';
import { commitTree } from '../git/merge.js';
import { moveRef } from '../git/refs.js';
import type { PullIssue, User } from '../store/rows.js';
import type { InRepo } from '../world/world.js';
import { findPull } from './issues.js';
import { markMerged, syncRefs } from './sync-refs.js';
import { authorOf } from './users.js';

export type MergeRequest = {
  method: 'merge' | 'squash';
  title?: string | undefined;
  message?: string | undefined;
  sha?: string | undefined;
};

const WEB = { name: 'GitHub', email: 'noreply@github.com' };
const notMergeable = (problem = 'is not mergeable') => new ApiError(405, `Pull Request ${problem}`);

/** Merges a pull request and returns the sha of the commit on the base branch. */
export function mergePull(
  where: InRepo & { user: User },
  number: number,
  request: MergeRequest,
): Promise<string> {
  const gitRepo = where.world.gitRepo(where.repo);
  return gitRepo.lock(async () => {
    await syncRefs(where, null);
    const issue = findPull(where, number);
    const { baseRef, headSha, draft } = issue.pull;
    const base = gitRepo.branch(baseRef);
    if (issue.state === 'closed' || base === undefined) throw notMergeable();
    if (request.sha !== undefined && request.sha !== headSha)
      throw new ApiError(409, 'Head branch was modified. Review and try the merge again.');
    if (draft) throw notMergeable('is still a draft');
    const after = await makeMerge(where, issue, { base, request });
    if (!(await moveRef(gitRepo.dir, `refs/heads/${baseRef}`, { before: base, after })))
      throw new ApiError(405, 'Base branch was modified. Review and try the merge again.');
    markMerged(where, findPull(where, number), { by: where.user, sha: after });
    await syncRefs(where, where.user);
    return after;
  });
}

type Merging = { base: string; request: MergeRequest };

async function makeMerge(
  { world, repo, user }: InRepo & { user: User },
  issue: PullIssue,
  { base, request }: Merging,
): Promise<string> {
  const gitRepo = world.gitRepo(repo);
  const head = issue.pull.headSha;
  const tree = await gitRepo.mergeTree(base, head);
  if (tree === undefined) throw notMergeable();
  const title = `Merge pull request #${issue.number} from ${repo.owner}/${issue.pull.headRef}`;
  const isMerge = request.method === 'merge';
  const text = isMerge ? { title, message: issue.title } : await squashText(gitRepo.dir, issue, base);
  return commitTree(gitRepo.dir, {
    tree,
    parents: isMerge ? [base, head] : [base],
    message: [request.title ?? text.title, request.message ?? text.message].filter(Boolean).join('\n\n'),
    signature: { author: authorOf(user), committer: WEB, atMs: world.clock.now() },
  });
}

/** Builds GitHub's default squash message from a single commit, or from the pull request's title and all commits. */
async function squashText(dir: string, issue: PullIssue, base: string) {
  const commits = await listCommits(dir, ['--reverse', '--no-merges', `${base}..${issue.pull.headSha}`]);
  const [only] = commits;
  const [title, ...rest] = commits.length === 1 && only ? only.message.split('\n') : [issue.title];
  const list = commits.map(({ message }) => `* ${message}`).join('\n\n');
  return {
    title: `${title} (#${issue.number})`,
    message: commits.length === 1 ? rest.join('\n').trim() : list,
  };
}
