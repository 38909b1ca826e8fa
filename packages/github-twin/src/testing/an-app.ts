import { generateKeyPairSync } from 'node:crypto';
import type { Clock } from '../basics/clock.js';
import { createManualClock } from '../basics/clock.js';
import { ask } from './ask.js';
import { at } from './json-fields.js';
import { type Claims, signJwt } from './sign-jwt.js';
import { REPO, SEED, startTestTwin, type Twin, type TwinOptions } from './test-twin.js';

export const GRANTS = {
  issues: 'write',
  pull_requests: 'write',
  contents: 'write',
  statuses: 'write',
  checks: 'write',
  actions: 'write',
} as const;

/** One key for all twins of a test file, because generating a key is slow. */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const KEY = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

/** Starts a twin whose App `mergexo` is installed on the repository `acme/app`. */
export async function startWithApp(options: TwinOptions = {}) {
  const clock: Clock = options.clock ?? createManualClock();
  const apps = [
    {
      slug: 'mergexo',
      owner: 'alice',
      permissions: GRANTS,
      events: ['issues'],
      keys: [KEY],
      installations: [{ account: 'acme', repositories: [REPO] }],
    },
  ];
  const twin = await startTestTwin({ seed: { ...SEED, apps }, ...options, clock });
  const app = twin.app('mergexo');
  return { twin, app, clock, jwt: (claims: Claims = {}) => jwtOf(twin, claims) };
}

/** A JSON web token that the App signs now, with its first key. */
export function jwtOf(twin: Twin, claims: Claims = {}): string {
  const { clientId, keys } = twin.app('mergexo');
  const now = Math.floor(twin.world.clock.now() / 1000);
  return signJwt(keys()[0]?.pem ?? '', { iss: clientId, iat: now - 30, exp: now + 570, ...claims });
}

/** Exchanges a JSON web token for an installation token, as a client does. */
export async function mint(twin: Twin, body?: object) {
  const id = twin.app('mergexo').installationId('acme');
  const path = `POST /app/installations/${id}/access_tokens`;
  const answer = await ask(twin, path, { token: jwtOf(twin), ...(body && { body }) });
  return { ...answer, token: String(at(answer.body, 'token')) };
}
