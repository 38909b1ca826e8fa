import path from 'node:path';
import type { Clock } from '../basics/clock.js';
import { toStamp } from '../basics/clock.js';
import type { Faults } from '../faults/faults.js';
import { type GitRepo, openGitRepo } from '../git/git-repo.js';
import type { History } from '../history/history.js';
import type { Limiter } from '../limits/limiter.js';
import type { Validators } from '../spec/validators.js';
import type { Store } from '../store/open-store.js';
import type { Repo } from '../store/rows.js';

export type Quirks = {
  /** Unknown request fields are refused, and answers of ours that GitHub could not give are errors. */
  strict: boolean;
  /** Whether a review moves `updated_at` of its pull request. GitHub does not promise it. */
  reviewsMovePull: boolean;
  /** Changes every JSON answer before it is checked: how a test proves that the checks bite. */
  tamper: ((route: string, body: unknown) => unknown) | undefined;
};

/** Everything that a route may reach. */
export type World = {
  root: string;
  /** Where the twin listens, without a slash at the end. */
  url: string;
  store: Store;
  clock: Clock;
  history: History;
  faults: Faults;
  limiter: Limiter;
  validators: Validators;
  quirks: Quirks;
  gitRepo(repo: Repo): GitRepo;
  stamp(): string;
  secret: string;
};

export function createGitRepos(root: string): (repo: Repo) => GitRepo {
  const open = new Map<number, GitRepo>();
  return (repo) => {
    const known = open.get(repo.id);
    if (known) return known;
    const gitRepo = openGitRepo(path.join(root, 'repos', `${repo.id}.git`));
    open.set(repo.id, gitRepo);
    return gitRepo;
  };
}

export const stampOf = (clock: Clock) => () => toStamp(clock.now());

/** What a view needs to make URLs. `api` is the root that the client came in by, `/` or `/api/v3`. */
export type ViewContext = { world: World; api: string };
