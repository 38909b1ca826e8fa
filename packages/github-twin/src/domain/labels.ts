import type { Label, Repo } from '../store/rows.js';
import type { World } from '../world/world.js';

export function findLabel(world: World, repo: Repo, name: string): Label | undefined {
  return world.store.labels.find(
    (row) => row.repoId === repo.id && row.name.toLowerCase() === name.toLowerCase(),
  );
}

/** Adding an unknown label to an issue creates it, as on GitHub. */
export function ensureLabels(world: World, repo: Repo, names: string[]): number[] {
  const ids = names.map(
    (name) =>
      findLabel(world, repo, name)?.id ??
      world.store.labels.put({
        id: world.store.nextId(),
        repoId: repo.id,
        name,
        color: 'ededed',
        description: null,
      }).id,
  );
  return [...new Set(ids)];
}
