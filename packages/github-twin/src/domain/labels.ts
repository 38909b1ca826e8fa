import type { Label } from '../store/rows.js';
import type { InRepo } from '../world/world.js';

export function findLabel({ world, repo }: InRepo, name: string): Label | undefined {
  const wanted = name.toLowerCase();
  return world.store.labels.find((row) => row.repoId === repo.id && row.name.toLowerCase() === wanted);
}

type NewLabel = { name: string; color?: string | undefined; description?: string | null | undefined };

export function addLabel({ world, repo }: InRepo, { name, color, description }: NewLabel): Label {
  return world.store.labels.put({
    id: world.store.nextId(),
    repoId: repo.id,
    name,
    color: color ?? 'ededed',
    description: description ?? null,
  });
}

/** Finds labels by name and creates missing labels, as GitHub does when an issue gets an unknown label. */
export function ensureLabels(where: InRepo, names: string[]): number[] {
  return [...new Set(names.map((name) => (findLabel(where, name) ?? addLabel(where, { name })).id))];
}
