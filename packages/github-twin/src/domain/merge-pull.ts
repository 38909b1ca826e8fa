import { ApiError } from '../basics/api-error.js';
import { listCommits } from '../git/commits.js';
import { commitTree, type Signature } from '../git/merge.js';
import { moveRef } from '../git/refs.js';
import type { PullIssue, Repo, User } from '../store/rows.js';
import type { World } from '../world/world.js';
import { findPull } from './issues.js';
import { markMerged, syncRefs } from './sync-refs.js';

export type MergeRequest = {
  method: 'merge' | 'squash';
  title?: string | undefined;
  message?: string | undefined;
  sha?: string | undefined;
};

const WEB = { name: 'GitHub', email: 'noreply@github.com' };

function signatureOf(world: World, user: User): Signature {
  return {
    author: { name: user.name ?? user.login, email: user.email },
    committer: WEB,
    atMs: world.clock.now(),
  };
}

/** Merges for real: afterwards the base branch has a new commit. Answers with its sha. */
export function mergePull(
  world: World,
  repo: Repo,
  number: number,
  user: User,
  request: MergeRequest,
): Promise<string> {
  const gitRepo = world.gitRepo(repo);
  return gitRepo.lock(async () => {
    await syncRefs(world, repo, null);
    const issue = findPull(world, repo, number);
    const base = world.store.refs.get(repo.id)?.refs[`refs/heads/${issue.pull.baseRef}`];
    if (issue.state === 'closed' || base === undefined)
      throw new ApiError(405, 'Pull Request is not mergeable');
    if (request.sha !== undefined && request.sha !== issue.pull.headSha)
      throw new ApiError(409, 'Head branch was modified. Review and try the merge again.');
    if (issue.pull.draft) throw new ApiError(405, 'Pull Request is still a draft');
    const sha = await makeMerge(world, repo, issue, { base, user, request });
    const ref = `refs/heads/${issue.pull.baseRef}`;
    if (sha === undefined) throw new ApiError(405, 'Pull Request is not mergeable');
    if (!(await moveRef(gitRepo.dir, ref, { before: base, after: sha })))
      throw new ApiError(405, 'Base branch was modified. Review and try the merge again.');
    markMerged(world, findPull(world, repo, number), { by: user, sha });
    await syncRefs(world, repo, user);
    return sha;
  });
}

type Merging = { base: string; user: User; request: MergeRequest };

async function makeMerge(
  world: World,
  repo: Repo,
  issue: PullIssue,
  merging: Merging,
): Promise<string | undefined> {
  const gitRepo = world.gitRepo(repo);
  const { base, user, request } = merging;
  const head = issue.pull.headSha;
  const signature = signatureOf(world, user);
  const merged = await gitRepo.tryMerge(base, head);
  if (merged.kind === 'conflict') return undefined;
  const text =
    request.method === 'merge' ? mergeText(repo, issue) : await squashText(world, repo, issue, base);
  const message = [request.title ?? text.title, request.message ?? text.message].filter(Boolean).join('\n\n');
  const parents = request.method === 'merge' ? [base, head] : [base];
  return commitTree(gitRepo.dir, { tree: merged.tree, parents, message, signature });
}

function mergeText(repo: Repo, issue: PullIssue) {
  return {
    title: `Merge pull request #${issue.number} from ${repo.owner}/${issue.pull.headRef}`,
    message: issue.title,
  };
}

/** One commit keeps its words; several become a list, as GitHub proposes by default. */
async function squashText(world: World, repo: Repo, issue: PullIssue, base: string) {
  const range = ['--reverse', '--no-merges', `${base}..${issue.pull.headSha}`];
  const commits = await listCommits(world.gitRepo(repo).dir, range);
  const [only] = commits;
  if (commits.length === 1 && only) {
    const [title, ...rest] = only.message.split('\n');
    return { title: `${title} (#${issue.number})`, message: rest.join('\n').trim() };
  }
  return {
    title: `${issue.title} (#${issue.number})`,
    message: commits.map(({ message }) => `* ${message}`).join('\n\n'),
  };
}
