import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { ApiError } from '../basics/api-error.js';
import type { App } from '../store/app-rows.js';
import type { World } from '../world/world.js';
import { listKeys } from './create-app.js';

const LONGEST_SECONDS = 600;

const unauthorized = (message: string) => new ApiError(401, message);
const undecodable = () => unauthorized('A JSON web token could not be decoded');

const Header = z.looseObject({ alg: z.literal('RS256') });
const any = z.unknown().optional();
const Claims = z.looseObject({ iss: any, iat: any, exp: any });

/** Returns the App that signed this JSON web token. Throws GitHub's refusals. */
export function verifyJwt(world: World, text: string): App {
  const { signed, signature, claims } = decode(text);
  const app = findIssuer(world, claims.iss);
  const keys = listKeys(world, app);
  if (keys.length === 0) throw unauthorized('Integration must generate a public key');
  if (!keys.some(({ pem }) => verify('RSA-SHA256', signed, createPublicKey(pem), signature)))
    throw undecodable();
  checkTimes(claims, world.clock.now() / 1000);
  return app;
}

function decode(text: string) {
  const [header, payload, signature, ...rest] = text.split('.');
  if (!header || !payload || !signature || rest.length > 0) throw undecodable();
  const claims = Claims.safeParse(parsePart(payload));
  if (!Header.safeParse(parsePart(header)).success || !claims.success) throw undecodable();
  return {
    signed: Buffer.from(`${header}.${payload}`),
    signature: Buffer.from(signature, 'base64url'),
    claims: claims.data,
  };
}

function parsePart(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    throw undecodable();
  }
}

/** Finds the App by its id or client id. */
function findIssuer({ store }: World, issuer: unknown): App {
  if (issuer === undefined || issuer === null || issuer === '')
    throw unauthorized("Missing 'issuer' claim ('iss') in assertion");
  const app = store.apps.find(({ id, clientId }) => String(id) === String(issuer) || clientId === issuer);
  if (app) return app;
  if (/^\d+$/.test(String(issuer))) throw new ApiError(404, 'Integration not found');
  throw unauthorized("'Issuer' claim ('iss') must be an Integer");
}

function checkTimes({ iat, exp }: z.infer<typeof Claims>, now: number): void {
  if (typeof exp !== 'number' || exp <= now)
    throw unauthorized(
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  if (exp > now + LONGEST_SECONDS)
    throw unauthorized("'Expiration time' claim ('exp') is too far in the future");
  if (typeof iat !== 'number' || iat > now)
    throw unauthorized(
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
}
