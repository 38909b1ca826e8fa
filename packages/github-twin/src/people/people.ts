import { repoNamed, userNamed } from '../control/control.js';
import type { FileContents } from '../git/write-files.js';
import type { Router } from '../rest/router.js';
import type { World } from '../world/world.js';
import { createPullActions } from './pull-actions.js';
import { type PushOptions, pushFiles } from './push-files.js';
import { createRequest, idOf, numberOf, type Request } from './request.js';

export type Person = ReturnType<typeof createPerson>;

/**
 * What a person does on GitHub, without the API: no token, no rate limit and no armed fault stands in the way, but
 * the same routes with the same rules do the work.
 */
export function createPerson(world: World, router: Router, login: string) {
  const user = userNamed(world, login);
  const request = createRequest(world, router, login);
  return {
    login,
    request,
    ...createIssueActions(request),
    ...createPullActions(world, request),
    /** A commit with these files on a branch, which is made from the default branch if it is new. Answers with its sha. */
    pushFiles: (repo: string, branch: string, files: FileContents, options: PushOptions = {}) =>
      pushFiles(world, repoNamed(world, repo), user, { branch, files, ...options }),
    /** The same, but the branch forgets what it was: it starts again from `from`, the default branch unless given. */
    forcePush: (repo: string, branch: string, files: FileContents, options: PushOptions = {}) => {
      const from = repoNamed(world, repo).defaultBranch;
      return pushFiles(world, repoNamed(world, repo), user, { branch, files, from, ...options, force: true });
    },
    deleteBranch: (repo: string, branch: string) =>
      request('DELETE', `/repos/${repo}/git/refs/heads/${branch}`),
  };
}

function createIssueActions(request: Request) {
  const at = (repo: string, rest: string | number) => `/repos/${repo}/issues/${rest}`;
  return {
    openIssue: (repo: string, issue: { title: string; body?: string; labels?: string[] }) =>
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
  };
}
