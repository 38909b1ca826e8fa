import type { HistoryEntry } from '../history/history.js';
import type { Installation } from '../store/app-rows.js';
import { viewInstallation } from '../views/app.js';
import { viewMinimalRepo } from '../views/repo.js';
import type { World } from '../world/world.js';
import { type Target, toTarget } from './list-targets.js';

export type InstallationNews = { event: string; targets: Target[]; payload: object };

/** Creates a function that describes changes to installations, which every App hears of without a subscription. */
export function createInstallationDescriber(world: World): (entry: HistoryEntry) => InstallationNews[] {
  const known = new Map<number, Installation>();
  const view = { world, api: world.url };
  const short = (ids: number[]) =>
    ids.flatMap((id) => {
      const repo = world.store.repos.get(id);
      return repo ? [viewMinimalRepo({ ...view, repo })] : [];
    });
  const tell = (row: Installation, event: string, payload: object): InstallationNews => ({
    event,
    targets: toTarget(world, row),
    payload: { ...payload, installation: viewInstallation(view, row) },
  });
  return (entry) => {
    if (entry.kind !== 'write' || entry.table !== 'installations') return [];
    const before = known.get(entry.id);
    const row = world.store.installations.get(entry.id);
    if (row) known.set(entry.id, row);
    if (!row) return before ? [tell(before, 'installation', { action: 'deleted' })] : [];
    // After a restart of the twin, the earlier version of an updated row is unknown.
    if (!before && entry.op !== 'create') return [];
    if (!before)
      return [tell(row, 'installation', { action: 'created', repositories: short(row.repoIds ?? []) })];
    if ((before.suspendedAt === null) !== (row.suspendedAt === null))
      return [tell(row, 'installation', { action: row.suspendedAt === null ? 'unsuspend' : 'suspend' })];
    if (before.permissions !== row.permissions)
      return [tell(row, 'installation', { action: 'new_permissions_accepted' })];
    const [earlier, now] = [before.repoIds ?? [], row.repoIds ?? []];
    const added = now.filter((id) => !earlier.includes(id));
    const removed = earlier.filter((id) => !now.includes(id));
    const selection = row.repoIds === null ? 'all' : 'selected';
    return [
      tell(row, 'installation_repositories', {
        action: removed.length > 0 ? 'removed' : 'added',
        repository_selection: selection,
        repositories_added: short(added),
        repositories_removed: short(removed),
      }),
    ];
  };
}
