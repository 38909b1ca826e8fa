import { createHmac, timingSafeEqual } from 'node:crypto';
import type { World } from '../world/world.js';

const LIFETIME_MS = 60_000;

export function signPath(world: World, path: string): string {
  const until = world.clock.now() + LIFETIME_MS;
  return `${path}?until=${until}&sig=${signatureOf(world, path, String(until))}`;
}

export function isSigned(world: World, path: string, query: URLSearchParams): boolean {
  const until = query.get('until') ?? '';
  const expected = Buffer.from(signatureOf(world, path, until));
  const given = Buffer.from(query.get('sig') ?? '');
  return (
    expected.length === given.length && timingSafeEqual(expected, given) && Number(until) > world.clock.now()
  );
}

function signatureOf(world: World, path: string, until: string): string {
  return createHmac('sha256', world.secret).update(`${path} ${until}`).digest('hex');
}
