import { type Access, accessOf, listRepos } from '../apps/installations.js';
import { verifyJwt } from '../apps/verify-jwt.js';
import { ApiError } from '../basics/api-error.js';
import type { Payer } from '../limits/limiter.js';
import type { App } from '../store/app-rows.js';
import type { Token, User } from '../store/rows.js';
import type { World } from '../world/world.js';
import type { Incoming } from './messages.js';

export type Identity = {
  user: User;
  /** Null if an App authenticated itself with a JSON web token. */
  token: Token | null;
  access: Access | null;
  app: App | null;
};

export const badCredentials = () => new ApiError(401, 'Bad credentials');

/** Returns who sends the request, or undefined without a token. Throws for unknown and expired tokens. */
export function identify(
  world: World,
  request: Incoming,
  auth: 'app' | 'token' = 'token',
): Identity | undefined {
  const secret = readSecret(request.headers.authorization);
  if (auth === 'app') return identifyApp(world, secret ?? '');
  if (secret === undefined) return undefined;
  const token = world.store.tokens.find((row) => row.secret === secret);
  const user = token && world.store.users.get(token.userId);
  const expired = token?.expiresAtMs != null && token.expiresAtMs <= world.clock.now();
  if (!token || !user || expired) throw badCredentials();
  return { user, token, access: accessOf(world, token) ?? null, app: null };
}

function identifyApp(world: World, secret: string): Identity {
  const app = verifyJwt(world, secret);
  const user = world.store.users.get(app.botId);
  if (!user) throw badCredentials();
  return { user, token: null, access: null, app };
}

/** Returns the account whose rate limit a request uses; undefined for an App's own requests, which have none. */
export function payerOf(world: World, { user, access, app }: Identity): Payer | undefined {
  if (app) return undefined;
  const installation = access && world.store.installations.get(access.installationId);
  if (!installation) return { kind: 'user', id: user.id, extraPerHour: 0 };
  // Every repository beyond the first 20 adds 50 requests an hour, up to 12,500.
  const extra = 50 * Math.max(0, listRepos(world, installation).length - 20);
  return { kind: 'installation', id: installation.id, extraPerHour: Math.min(7_500, extra) };
}

/** Reads `token X` and `Bearer X` for the API, and Basic authentication with the token as the password for git. */
function readSecret(header: string | undefined): string | undefined {
  const [scheme = '', value = ''] = (header ?? '').split(' ');
  if (/^(?:token|bearer)$/i.test(scheme)) return value;
  if (!/^basic$/i.test(scheme)) return undefined;
  const [name = '', password = ''] = Buffer.from(value, 'base64').toString().split(':');
  return password === '' || password === 'x-oauth-basic' ? name : password;
}
