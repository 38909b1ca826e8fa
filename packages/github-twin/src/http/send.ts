import { createHash, randomBytes } from 'node:crypto';
import type { Resource } from '../limits/account.js';
import type { World } from '../world/world.js';
import type { Exchange } from './exchange.js';
import type { Identity } from './identify.js';

export type Wire = { status: number; headers: Record<string, string>; body: Buffer };

export const HTML =
  '<!DOCTYPE html>\n<html><head><title>Unicorn!</title></head><body><p>No server is currently available.</p></body></html>\n';

/** An ETag belongs to the token: the same page read with another token has another one. */
export function etagOf(identity: Identity | undefined, body: Buffer): string {
  const hash = createHash('sha256')
    .update(`${identity?.token.id ?? 0}\n`)
    .update(body)
    .digest('hex');
  return `W/"${hash}"`;
}

export function isFresh(exchange: Exchange, etag: string): boolean {
  const given = exchange.request.headers['if-none-match'];
  return given?.split(',').some((one) => strip(one) === strip(etag)) ?? false;
}

const strip = (etag: string) => etag.trim().replace(/^W\//, '');

export function commonHeaders(world: World, identity: Identity | undefined): Record<string, string> {
  return {
    date: new Date(world.clock.now()).toUTCString(),
    server: 'github.com',
    'cache-control': 'private, max-age=60, s-maxage=60',
    vary: 'Accept, Authorization, Cookie, X-GitHub-OTP,Accept-Encoding, Accept, X-Requested-With',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': '2022-11-28',
    'x-github-request-id': randomBytes(10).toString('hex').toUpperCase(),
    ...(identity && {
      'x-oauth-scopes': identity.token.scopes.join(', '),
      'x-accepted-oauth-scopes': 'repo',
    }),
  };
}

export function rateHeaders(
  world: World,
  identity: Identity | undefined,
  resource: Resource,
): Record<string, string> {
  if (!identity) return {};
  const { limit, used, remaining, reset } = world.limiter.state(identity.user.id, resource);
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-used': String(used),
    'x-ratelimit-reset': String(reset),
    'x-ratelimit-resource': resource,
  };
}

export function send(exchange: Exchange, wire: Wire): void {
  const { response } = exchange;
  response.sendDate = false;
  const bodiless = wire.status === 204 || wire.status === 304;
  response.writeHead(
    wire.status,
    bodiless ? wire.headers : { ...wire.headers, 'content-length': String(wire.body.length) },
  );
  response.end(bodiless ? undefined : wire.body);
}
