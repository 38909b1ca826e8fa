import path from 'node:path';
import { type Clock, toStamp } from '../basics/clock.js';
import type { Faults } from '../faults/faults.js';
import { type GitRepo, openGitRepo } from '../git/git-repo.js';
import type { History } from '../history/history.js';
import type { Note } from '../journal/journal.js';
import type { Limiter } from '../limits/limiter.js';
import type { Validators } from '../spec/validators.js';
import type { Store } from '../store/create-store.js';
import type { Born, Repo, Upload } from '../store/rows.js';

export type Quirks = {
  /** True if a review updates its pull request's `updated_at`. GitHub does not document this behavior. */
  reviewsMovePull: boolean;
  /**
   * True if an issue's `updated_at` changes when a dependency is added or removed, and when its blocker is closed or
   * reopened. GitHub does not document this behavior.
   */
  dependenciesMoveIssue: boolean;
  /** How long a new installation token lives: an hour on GitHub. */
  installationTokenSeconds: number;
  /** Changes every JSON response before its validation, so that tests can prove that the validation works. */
  tamper: ((route: string, body: unknown) => unknown) | undefined;
};

/** What an endpoint responded with. */
export type HookResponse = { status: number; headers: Record<string, string>; body: string };

/** `status` is null if the endpoint did not respond. A redelivery has the `id` of the first delivery. */
export type Delivery = {
  id: string;
  number: number;
  event: string;
  action: string | null;
  headers: Record<string, string>;
  body: string;
  status: number | null;
  response: HookResponse | null;
  isRedelivery: boolean;
  sendAgain: () => Promise<void>;
  deliveredAt: string;
  appId: number | null;
  installationId: number | null;
  repositoryId: number | null;
};

/** The context that all routes share. */
export type World = {
  root: string;
  /** Base URL of the twin, without a trailing slash. */
  url: string;
  /** The version of the Enterprise Server that the twin imitates; undefined for github.com. */
  enterpriseVersion: string | undefined;
  store: Store;
  clock: Clock;
  history: History;
  faults: Faults;
  limiter: Limiter;
  validators: Validators;
  quirks: Quirks;
  gitRepo(repo: Repo): GitRepo;
  secret: string;
  /** Files that people uploaded. They are lost when the twin stops. */
  uploads: Upload[];
  /** Deliveries of webhooks. They are lost when the twin stops. */
  deliveries: Delivery[];
  nextLatencyMs(): number;
  /** `note` and `flush` write to the journal, if any. `flush` runs before a response, so no confirmed write is lost. */
  note(facts: Pick<Note, 'entry' | 'token'>): void;
  flush(): void;
};

/** The context of one repository. */
export type InRepo = { world: World; repo: Repo };

/** The context of views. URLs start with `api`, which ends in `/api/v3` if the client used that prefix. */
export type ViewContext = { world: World; api: string };
export type RepoView = ViewContext & InRepo;

export function createGitRepos(root: string): (repo: Repo) => GitRepo {
  const open = new Map<number, GitRepo>();
  return ({ id }) => {
    const gitRepo = open.get(id) ?? openGitRepo(path.join(root, 'repos', `${id}.git`));
    open.set(id, gitRepo);
    return gitRepo;
  };
}

export const stampOf = ({ clock }: World) => toStamp(clock.now());

/** Creates the fields that every new row has. */
export function born(world: World): Born {
  const now = stampOf(world);
  return { id: world.store.nextId(), createdAt: now, updatedAt: now, createdMs: world.clock.now() };
}
