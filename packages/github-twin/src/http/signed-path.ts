import { createHmac } from 'node:crypto';
import type { World } from '../world/world.js';
import type { Exchange } from './exchange.js';

const LIFETIME_MS = 60_000;

export function signPath(world: World, path: string, lifetimeMs = LIFETIME_MS): string {
  const until = String(world.clock.now() + lifetimeMs);
  return `${path}?until=${until}&sig=${signatureOf(world, path, until)}`;
}

export function isSigned({ world, path, query }: Exchange): boolean {
  const until = query.get('until') ?? '';
  return query.get('sig') === signatureOf(world, path, until) && Number(until) > world.clock.now();
}

function signatureOf(world: World, path: string, until: string): string {
  return createHmac('sha256', world.secret).update(`${path} ${until}`).digest('hex');
}
