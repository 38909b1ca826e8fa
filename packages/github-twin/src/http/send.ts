import { createHash, randomBytes } from 'node:crypto';
import type { Resource } from '../limits/limiter.js';
import type { Exchange } from './exchange.js';
import { payerOf } from './identify.js';

export type Wire = { status: number; headers: Record<string, string>; body: Buffer };

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Includes the token, because GitHub's ETag of the same page differs between tokens. */
export function etagOf({ identity }: Exchange, body: Buffer): string {
  const hash = createHash('sha256')
    .update(`${identity?.token?.id ?? 0}\n`)
    .update(body);
  return `W/"${hash.digest('hex')}"`;
}

export function isFresh({ request }: Exchange, etag: string): boolean {
  const strip = (text: string) => text.trim().replace(/^W\//, '');
  return request.headers['if-none-match']?.split(',').some((one) => strip(one) === strip(etag)) ?? false;
}

/** Headers of every API response. */
export function commonHeaders(exchange: Exchange, resource: Resource): Record<string, string> {
  const { world, identity } = exchange;
  const payer = identity && payerOf(world, identity);
  return {
    date: new Date(world.clock.now()).toUTCString(),
    'x-github-request-id': randomBytes(10).toString('hex').toUpperCase(),
    // Only personal tokens have scopes.
    ...(identity?.token &&
      !identity.access && {
        'x-oauth-scopes': identity.token.scopes.join(', '),
        'x-accepted-oauth-scopes': 'repo',
      }),
    ...(!identity && resource === 'core' && anonymousLimit(exchange)),
    // An Enterprise Server has no rate limits by default, and then it sends no such headers.
    ...(payer &&
      world.enterpriseVersion === undefined && {
        'x-ratelimit-resource': resource,
        ...Object.fromEntries(
          Object.entries(world.limiter.state(payer, resource)).map(([name, value]) => [
            `x-ratelimit-${name}`,
            String(value),
          ]),
        ),
      }),
  };
}

/** Without a valid token, GitHub reports the limit of the address from which the request came. */
function anonymousLimit({ world, path }: Exchange): Record<string, string> {
  if (world.enterpriseVersion !== undefined || /^\/app(?:\/|$)/.test(path)) return {};
  return {
    'x-ratelimit-resource': 'core',
    'x-ratelimit-limit': '60',
    'x-ratelimit-used': '1',
    'x-ratelimit-remaining': '59',
    'x-ratelimit-reset': String(Math.ceil(world.clock.now() / 1000) + 3_600),
  };
}

export function send({ world, response }: Exchange, { status, headers, body }: Wire): void {
  world.flush();
  response.sendDate = false;
  const bodiless = status === 204 || status === 304;
  response.writeHead(status, bodiless ? headers : { ...headers, 'content-length': String(body.length) });
  response.end(bodiless ? undefined : body);
}
