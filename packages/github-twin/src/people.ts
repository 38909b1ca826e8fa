import { z } from 'zod';
import { repoNamed, userNamed } from './control.js';
import type { FileContents } from './git/write-files.js';
import { dispatch } from './http/dispatch.js';
import type { Router } from './http/router.js';
import { createPullHabits } from './people-pulls.js';
import { type PushOptions, pushFiles } from './push-files.js';
import type { World } from './world.js';

const Id = z.object({ id: z.number() });
const Numbered = z.object({ number: z.number() });

export type Request = (method: string, path: string, body?: unknown) => Promise<unknown>;
export type Person = ReturnType<typeof createPerson>;

/** What a person was not allowed to do, with the API's own answer. */
export class Refused extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(message: string, status: number, body: unknown) {
    super(message);
    this.name = 'Refused';
    this.status = status;
    this.body = body;
  }
}

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
    ...createIssueHabits(request),
    ...createPullHabits(world, request),
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

function createRequest(world: World, router: Router, login: string): Request {
  const user = userNamed(world, login);
  return async (method, path, body) => {
    const url = new URL(path, world.url);
    const answer = await dispatch(router.match(method, url.pathname), {
      world,
      api: world.url,
      method,
      path: url.pathname,
      query: url.searchParams,
      body,
      accept: 'application/json',
      user,
      token: null,
      lagMs: 0,
      staleMs: 0,
      shift: 0,
      mergeableUnknown: false,
    });
    if (answer.status < 400) return answer.body;
    const words = `${login}: ${method} ${path} was answered ${answer.status}: ${answer.json}`;
    throw new Refused(words, answer.status, answer.body);
  };
}

export async function idOf(answer: Promise<unknown>): Promise<number> {
  return Id.parse(await answer).id;
}

export async function numberOf(answer: Promise<unknown>): Promise<number> {
  return Numbered.parse(await answer).number;
}

function createIssueHabits(request: Request) {
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
