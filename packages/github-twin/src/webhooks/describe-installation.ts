import { listRepos } from '../apps/installations.js';
import { fullName } from '../domain/permissions.js';
import type { HistoryEntry } from '../history/history.js';
import type { Installation } from '../store/app-rows.js';
import type { Repo } from '../store/rows.js';
import { viewInstallation } from '../views/app.js';
import { nodeId, viewUserOf } from '../views/user.js';
import type { World } from '../world/world.js';
import { type Target, toTarget } from './list-targets.js';
import { trackRows } from './track-rows.js';

export type InstallationNews = { event: string; targets: Target[]; payload: object };

/** Creates a function that describes changes to installations, which every App hears of without a subscription. */
export function createInstallationDescriber(world: World): (entry: HistoryEntry) => InstallationNews[] {
  const track = trackRows(world.store.installations);
  const view = { world, api: world.url };
  const tell = (row: Installation, event: string, payload: object): InstallationNews => ({
    event,
    targets: toTarget(world, row),
    payload: {
      ...payload,
      installation: viewInstallation(view, row),
      // The twin's owners act without a login, so the account counts as the sender.
      sender: viewUserOf(view, row.accountId),
    },
  });
  return (entry) => {
    if (entry.kind !== 'write' || entry.table !== 'installations') return [];
    const { before, after } = track(entry.id);
    if (!before) return after ? [tell(after, 'installation', describeCreated(world, after))] : [];
    if (!after) {
      const repositories = viewNamed(listRepos(world, before));
      return [tell(before, 'installation', { action: 'deleted', repositories })];
    }
    if ((before.suspendedAt === null) !== (after.suspendedAt === null))
      return [tell(after, 'installation', { action: after.suspendedAt === null ? 'unsuspend' : 'suspend' })];
    if (before.permissions !== after.permissions)
      return [tell(after, 'installation', { action: 'new_permissions_accepted' })];
    return [tell(after, 'installation_repositories', describeSelection(world, before, after))];
  };
}

function describeCreated(world: World, row: Installation): object {
  return { action: 'created', repositories: viewNamed(listRepos(world, row)), requester: null };
}

function describeSelection(world: World, before: Installation, after: Installation): object {
  const [earlier, now] = [listRepos(world, before), listRepos(world, after)];
  const without = (repos: Repo[], other: Repo[]) =>
    viewNamed(repos.filter(({ id }) => !other.some((repo) => repo.id === id)));
  const removed = without(earlier, now);
  return {
    action: removed.length > 0 ? 'removed' : 'added',
    repository_selection: after.repoIds === null ? 'all' : 'selected',
    repositories_added: without(now, earlier),
    repositories_removed: removed,
    requester: null,
  };
}

/** Events about installations name repositories in this short form. */
function viewNamed(repos: Repo[]): object[] {
  return repos.map((repo) => {
    const { id, name, private: isPrivate } = repo;
    return { id, node_id: nodeId('R', id), name, full_name: fullName(repo), private: isPrivate };
  });
}
