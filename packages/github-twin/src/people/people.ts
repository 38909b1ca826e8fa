import { z } from 'zod';
import { repoNamed, userNamed } from '../control/control.js';
import { findIssue, findPull } from '../domain/issues.js';
import { syncRefs } from '../domain/sync-refs.js';
import { authorOf } from '../domain/users.js';
import type { FileContents } from '../git/new-commit.js';
import { moveRef } from '../git/refs.js';
import { writeCommit } from '../git/write-files.js';
import type { Router } from '../rest/router.js';
import type { Side, User } from '../store/rows.js';
import type { InRepo, World } from '../world/world.js';
import { createRequest, idOf, numberOf, type Request } from './request.js';

/** An interface, so that inferred types show the name `Person`. */
export interface Person extends ReturnType<typeof createPerson> {}
export type InlineComment = {
  path: string;
  start_line?: number;
  start_side?: Side;
  line: number;
  side?: Side;
  body: string;
};
export type ReviewInput = {
  event?: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  body?: string;
  comments?: InlineComment[];
};
export type PullInput = { title: string; head: string; base?: string; body?: string; draft?: boolean };

/**
 * A person on GitHub. Their actions use the API's routes and obey the same rules. They need no token, do not count
 * against the rate limit, and are not affected by faults.
 */
export function createPerson(world: World, router: Router, login: string) {
  const user = userNamed(world, login);
  const request = createRequest(world, router, user);
  const push = (repo: string, wanted: Push) =>
    pushFiles({ world, repo: repoNamed(world, repo), user }, wanted);
  return {
    login,
    request,
    ...createIssueActions(request),
    ...createDependencyActions(world, request),
    ...createPullActions(world, request),
    push,
    /** Pushes a commit with these files. A new branch starts from the default branch. */
    pushFiles: (repo: string, branch: string, files: FileContents) => push(repo, { branch, files }),
    /** Force-pushes one commit with these files on top of the default branch. */
    forcePush: (repo: string, branch: string, files: FileContents) =>
      push(repo, { branch, files, from: repoNamed(world, repo).defaultBranch, force: true }),
    deleteBranch: (repo: string, branch: string) =>
      request('DELETE', `/repos/${repo}/git/refs/heads/${branch}`),
  };
}

function createIssueActions(request: Request) {
  const at = (repo: string, rest: string | number) => `/repos/${repo}/issues/${rest}`;
  return {
    openIssue: (repo: string, issue: { title: string; body?: string | undefined; labels?: string[] }) =>
      numberOf(request('POST', `/repos/${repo}/issues`, issue)),
    close: (repo: string, number: number) => request('PATCH', at(repo, number), { state: 'closed' }),
    reopen: (repo: string, number: number) => request('PATCH', at(repo, number), { state: 'open' }),
    label: (repo: string, number: number, ...labels: string[]) =>
      request('POST', at(repo, `${number}/labels`), { labels }),
    unlabel: (repo: string, number: number, name: string) =>
      request('DELETE', at(repo, `${number}/labels/${encodeURIComponent(name)}`)),
    comment: (repo: string, number: number, body: string) =>
      idOf(request('POST', at(repo, `${number}/comments`), { body })),
    editComment: (repo: string, id: number, body: string) =>
      request('PATCH', at(repo, `comments/${id}`), { body }),
    deleteComment: (repo: string, id: number) => request('DELETE', at(repo, `comments/${id}`)),
    react: (repo: string, commentId: number, content: string) =>
      request('POST', at(repo, `comments/${commentId}/reactions`), { content }),
  };
}

/** GitHub's API names the blocker by its database id, which people do not see. */
function createDependencyActions(world: World, request: Request) {
  const at = (repo: string, number: number) => `/repos/${repo}/issues/${number}/dependencies/blocked_by`;
  const idFor = (repo: string, number: number): number =>
    findIssue({ world, repo: repoNamed(world, repo) }, number).id;
  return {
    /** Marks an issue as blocked by another issue, of the same repository by default. */
    addBlocker: (repo: string, number: number, blocker: { repo?: string; number: number }) =>
      request('POST', at(repo, number), { issue_id: idFor(blocker.repo ?? repo, blocker.number) }),
    removeBlocker: (repo: string, number: number, blocker: { repo?: string; number: number }) =>
      request('DELETE', `${at(repo, number)}/${idFor(blocker.repo ?? repo, blocker.number)}`),
  };
}

function createPullActions(world: World, request: Request) {
  const at = (repo: string, rest: string) => `/repos/${repo}/pulls${rest}`;
  return {
    openPull: (repo: string, pull: PullInput) =>
      numberOf(request('POST', at(repo, ''), { base: repoNamed(world, repo).defaultBranch, ...pull })),
    merge: async (repo: string, number: number, merge_method: 'merge' | 'squash' = 'merge') => {
      const merged = await request('PUT', at(repo, `/${number}/merge`), { merge_method });
      return z.object({ sha: z.string() }).parse(merged).sha;
    },
    /** Comments on the pull request's head unless a commit is given. */
    reviewComment: (repo: string, number: number, comment: InlineComment & { commitId?: string }) => {
      const { commitId, ...rest } = comment;
      const commit_id = commitId ?? findPull({ world, repo: repoNamed(world, repo) }, number).pull.headSha;
      return idOf(request('POST', at(repo, `/${number}/comments`), { ...rest, commit_id }));
    },
    reply: (repo: string, commentId: number, body: string) => {
      const number = world.store.reviewComments.get(commentId)?.number ?? 0;
      return idOf(request('POST', at(repo, `/${number}/comments/${commentId}/replies`), { body }));
    },
    editReviewComment: (repo: string, id: number, body: string) =>
      request('PATCH', at(repo, `/comments/${id}`), { body }),
    deleteReviewComment: (repo: string, id: number) => request('DELETE', at(repo, `/comments/${id}`)),
    submitReview: (repo: string, number: number, review: ReviewInput) =>
      idOf(request('POST', at(repo, `/${number}/reviews`), { event: 'COMMENT', ...review })),
  };
}

export type Push = {
  branch: string;
  files: FileContents;
  message?: string;
  /** The commit or branch to start from. Defaults to the branch, or to the default branch if the branch is new. */
  from?: string;
  /** True if the branch may lose commits. */
  force?: boolean;
};

/** Commits to a branch, as a push would, and returns the commit's sha. */
export function pushFiles({ world, repo, user }: InRepo & { user: User }, push: Push): Promise<string> {
  const gitRepo = world.gitRepo(repo);
  return gitRepo.lock(async () => {
    await syncRefs({ world, repo }, null);
    const before = gitRepo.branch(push.branch) ?? null;
    const start = push.from === undefined ? undefined : await gitRepo.resolve(push.from);
    const parent = start ?? before ?? gitRepo.branch(repo.defaultBranch) ?? null;
    if (before !== null && parent !== before && !push.force)
      throw new Error(`${push.branch} cannot be fast-forwarded to this commit; set force to replace it`);
    const after = await writeCommit(gitRepo.dir, {
      files: push.files,
      message: push.message ?? `Change ${Object.keys(push.files).join(', ')}`,
      parent,
      author: authorOf(user),
      atMs: world.clock.now(),
    });
    if (!(await moveRef(gitRepo.dir, `refs/heads/${push.branch}`, { before, after })))
      throw new Error(`${push.branch} moved during the push`);
    await syncRefs({ world, repo }, user);
    return after;
  });
}
