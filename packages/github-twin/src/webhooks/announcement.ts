import type { Repo } from '../store/rows.js';
import type { RepoView, World } from '../world/world.js';

export type Announcement = {
  event: string;
  repo: Repo;
  /** The parts of the payload that depend on the event. */
  build: (view: RepoView) => object | Promise<object>;
};

/** Announces an event in the repository of a row. */
export function announce(
  { store }: World,
  { event, repoId }: { event: string; repoId: number },
  build: Announcement['build'],
): Announcement[] {
  const repo = store.repos.get(repoId);
  return repo ? [{ event, repo, build }] : [];
}

/** Returns `changes` of an edit: the earlier text of each field that differs. */
export function listChanges<Row>(
  before: Row,
  after: Row,
  names: readonly (keyof Row & string)[],
): Record<string, { from: unknown }> {
  const changed = names.filter((name) => before[name] !== after[name]);
  return Object.fromEntries(changed.map((name) => [name, { from: before[name] }]));
}
