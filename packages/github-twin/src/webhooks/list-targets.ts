import { listRepos } from '../apps/installations.js';
import type { Installation } from '../store/app-rows.js';
import type { Repo } from '../store/rows.js';
import { nodeId } from '../views/user.js';
import type { World } from '../world/world.js';

/** An address that gets deliveries, with what GitHub adds for it. */
export type Target = {
  url: string;
  secret: string;
  /** Null for the hook of a repository. */
  appId: number | null;
  installationId: number | null;
  headers: Record<string, string>;
  payload: object;
};

/** Lists the hooks of the Apps that subscribed to this event and are installed on the repository. */
export function listAppTargets(world: World, event: string, repo: Repo): Target[] {
  return world.store.installations
    .filter((row) => row.suspendedAt === null && listRepos(world, row).some(({ id }) => id === repo.id))
    .filter((row) => world.store.apps.get(row.appId)?.events.includes(event))
    .flatMap((row) => toTarget(world, row));
}

/** The hook of the App that an installation belongs to, or nothing if the App has none. */
export function toTarget(world: World, { id, appId }: Installation): Target[] {
  const hook = world.store.appHooks.find((row) => row.appId === appId);
  if (!hook) return [];
  const headers = {
    'x-github-hook-id': String(hook.id),
    'x-github-hook-installation-target-type': 'integration',
    'x-github-hook-installation-target-id': String(appId),
  };
  const payload = { installation: { id, node_id: nodeId('I', id) } };
  return [{ url: hook.url, secret: hook.secret, appId, installationId: id, headers, payload }];
}
