import type { App, Installation } from '../store/app-rows.js';
import { type Grants, Level, type Repo, type Token, type User } from '../store/rows.js';
import { born, stampOf, type World } from '../world/world.js';

/** What an installation token allows at this moment. */
export type Access = { installationId: number; repoIds: number[]; permissions: Grants };

const rankOf = (level: Level | undefined) => (level === undefined ? -1 : Level.options.indexOf(level));

/** True if the grants include this permission at this level or a higher one. */
export const includes = (grants: Grants, name: string, level: Level) => rankOf(grants[name]) >= rankOf(level);

/** Returns the permissions that both sides have, at the lower level. */
export function intersect(one: Grants, other: Grants): Grants {
  const shared = Object.entries(one).flatMap(([name, level]): [string, Level][] => {
    const second = other[name];
    return second === undefined ? [] : [[name, rankOf(level) < rankOf(second) ? level : second]];
  });
  return Object.fromEntries(shared);
}

/** Returns the permissions that count: those that the App asks for and that the account's owner accepted. */
export function permissionsOf({ store }: World, installation: Installation): Grants {
  return intersect(installation.permissions, store.apps.get(installation.appId)?.permissions ?? {});
}

export function listRepos({ store }: World, { accountId, repoIds }: Installation): Repo[] {
  const owner = store.users.get(accountId)?.login;
  const owned = store.repos.filter((repo) => repo.owner === owner);
  return repoIds === null ? owned : owned.filter(({ id }) => repoIds.includes(id));
}

/** Returns undefined for a token that does not belong to an installation. */
export function accessOf(world: World, { installation: grant }: Token): Access | undefined {
  const installation = grant && world.store.installations.get(grant.installationId);
  if (!installation) return undefined;
  const { repoIds } = grant;
  const ids = listRepos(world, installation).map(({ id }) => id);
  return {
    installationId: installation.id,
    repoIds: repoIds === null ? ids : ids.filter((id) => repoIds.includes(id)),
    permissions: intersect(grant.permissions, permissionsOf(world, installation)),
  };
}

export function findInstallation({ store }: World, app: App, accountId: number): Installation | undefined {
  return store.installations.find((row) => row.appId === app.id && row.accountId === accountId);
}

/** Installs the App with the permissions that it asks for. A reinstallation has a new id. */
export function install(
  world: World,
  app: App,
  { account: { id: accountId }, repoIds }: { account: User; repoIds: number[] | null },
): Installation {
  const known = findInstallation(world, app, accountId);
  if (known) throw new Error(`the App ${app.slug} is already installed on this account`);
  const { permissions } = app;
  const row = { ...born(world), appId: app.id, accountId, repoIds, permissions, suspendedAt: null };
  return world.store.installations.put(row);
}

/** Suspends or unsuspends an installation. Earlier tokens stay invalid. */
export function setSuspended(world: World, installation: Installation, suspended: boolean): void {
  const suspendedAt = suspended ? stampOf(world) : null;
  world.store.installations.put({ ...installation, suspendedAt, updatedAt: stampOf(world) });
  if (suspended) revokeAll(world, installation);
}

export function uninstall(world: World, installation: Installation): void {
  world.store.installations.remove(installation.id);
  revokeAll(world, installation);
}

/**
 * Changes the permissions that an App asks for. Removed permissions end at once; added ones need an owner's acceptance
 * first.
 */
export function setPermissions(world: World, app: App, permissions: Grants): void {
  const { store } = world;
  const before = store.installations.filter((row) => row.appId === app.id);
  const losing = before.filter((row) =>
    Object.entries(permissionsOf(world, row)).some(
      ([name, level]) => name !== 'metadata' && !includes(permissions, name, level),
    ),
  );
  store.apps.put({ ...app, permissions: { ...permissions, metadata: 'read' }, updatedAt: stampOf(world) });
  for (const installation of losing) revokeAll(world, installation);
}

export function acceptPermissions(world: World, installation: Installation): void {
  const { permissions = {} } = world.store.apps.get(installation.appId) ?? {};
  world.store.installations.put({ ...installation, permissions, updatedAt: stampOf(world) });
}

function revokeAll({ store }: World, { id }: Installation): void {
  for (const token of store.tokens.filter((row) => row.installation?.installationId === id))
    store.tokens.remove(token.id);
}
