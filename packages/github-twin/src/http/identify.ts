import type { IncomingMessage } from 'node:http';
import { ApiError } from '../basics/api-error.js';
import type { Token, User } from '../store/rows.js';
import type { World } from '../world/world.js';

export type Identity = { user: User; token: Token };

export const badCredentials = () => new ApiError(401, 'Bad credentials');

/** Returns the token's user, or undefined without a token. Throws for unknown and expired tokens. */
export function identify(world: World, request: IncomingMessage): Identity | undefined {
  const secret = readSecret(request.headers.authorization);
  if (secret === undefined) return undefined;
  const token = world.store.tokens.find((row) => row.secret === secret);
  const user = token && world.store.users.get(token.userId);
  const expired = token?.expiresAtMs != null && token.expiresAtMs <= world.clock.now();
  if (!token || !user || expired) throw badCredentials();
  return { user, token };
}

/** Reads `token X` and `Bearer X` for the API, and Basic authentication with the token as the password for git. */
function readSecret(header: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (/^(?:token|bearer)$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  const [name = '', password = ''] = Buffer.from(value, 'base64').toString().split(':');
  return password === '' || password === 'x-oauth-basic' ? name : password;
}
