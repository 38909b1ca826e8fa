import { randomBytes } from 'node:crypto';
import type { Token, User } from '../store/rows.js';
import type { World } from '../world/world.js';

export function findUser(world: World, login: string): User | undefined {
  return world.store.users.find((row) => row.login.toLowerCase() === login.toLowerCase());
}

export function findByEmail(world: World, email: string): User | undefined {
  return world.store.users.find((row) => row.email.toLowerCase() === email.toLowerCase());
}

/** The user as a git author. */
export const authorOf = (user: User) => ({ name: user.name ?? user.login, email: user.email });

/** Creates a personal access token. Its secret is random unless given. */
export function createToken(
  { store }: World,
  userId: number,
  wanted: { scopes: string[]; secret?: string | undefined },
): Token {
  const secret = wanted.secret ?? `ghp_${randomBytes(27).toString('base64url').replace(/[-_]/g, 'x')}`;
  return store.tokens.put({ id: store.nextId(), secret, userId, scopes: wanted.scopes, expiresAtMs: null });
}
