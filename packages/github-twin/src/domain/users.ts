import type { User } from '../store/rows.js';
import type { World } from '../world/world.js';

export function findUser(world: World, login: string): User | undefined {
  return world.store.users.find((row) => row.login.toLowerCase() === login.toLowerCase());
}
