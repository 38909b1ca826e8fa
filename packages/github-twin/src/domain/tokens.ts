import { randomBytes } from 'node:crypto';
import type { Token } from '../store/rows.js';
import type { World } from '../world/world.js';

/** A personal access token in GitHub's form; random unless given. */
export function createToken(
  { store }: World,
  userId: number,
  wanted: { scopes: string[]; secret?: string | undefined },
): Token {
  const secret = wanted.secret ?? `ghp_${randomBytes(27).toString('base64url').replace(/[-_]/g, 'x')}`;
  return store.tokens.put({ id: store.nextId(), secret, userId, scopes: wanted.scopes, expiresAtMs: null });
}
