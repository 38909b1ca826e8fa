import path from 'node:path';
import type { Clock } from './clock.js';
import { toStamp } from './clock.js';
import type { Faults } from './faults/faults.js';
import { type Depot, openDepot } from './git/depot.js';
import type { History } from './history.js';
import type { Limiter } from './http/limiter.js';
import type { Validators } from './spec/validators.js';
import type { Store } from './store/open-store.js';
import type { Repo } from './store/rows.js';

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
  depot(repo: Repo): Depot;
  stamp(): string;
  secret: string;
};

export function createDepots(root: string): (repo: Repo) => Depot {
  const open = new Map<number, Depot>();
  return (repo) => {
    const known = open.get(repo.id);
    if (known) return known;
    const depot = openDepot(path.join(root, 'repos', `${repo.id}.git`));
    open.set(repo.id, depot);
    return depot;
  };
}

export const stampOf = (clock: Clock) => () => toStamp(clock.now());
