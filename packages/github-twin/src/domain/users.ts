import type { Repo, User } from '../store/rows.js';
import type { World } from '../world.js';
import { hasPermission } from './permissions.js';

export function findUser(world: World, login: string): User | undefined {
  return world.store.users.find((row) => row.login.toLowerCase() === login.toLowerCase());
}

/** Strangers among the assignees are dropped in silence, as on GitHub. */
export function toAssignees(world: World, repo: Repo, logins: string[]): number[] {
  const users = logins.flatMap((login) => findUser(world, login) ?? []);
  return [...new Set(users.filter((user) => hasPermission(repo, user, 'triage')).map((user) => user.id))];
}
