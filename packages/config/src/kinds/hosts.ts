import { isIPv4, isIPv6 } from 'node:net';
import { z } from 'zod';
import { kind } from './kind.js';

const LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const NAME = new RegExp(`^(?=.{1,253}$)(?:${LABEL}\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`, 'i');

/**
 * Accepts hosts that an agent may reach. An IP address needs a port, because it may be in a private network.
 */
export const hosts = () =>
  kind(
    'a list of at most 100 hosts: a name, `*.` and at least two labels, or an IP address with a port; a name can have a port too',
    z.array(z.string().max(300).refine(isHost)).max(100),
  );

function isHost(entry: string): boolean {
  const [, place = '', digits] = /^(.*?)(?::([1-9]\d{0,4}))?$/.exec(entry) ?? [];
  if (Number(digits ?? 1) > 65_535) return false;
  const address = /^\[(.*)\]$/.exec(place)?.[1];
  if (address !== undefined) return digits !== undefined && isIPv6(address) && !address.includes('%');
  if (isIPv4(place)) return digits !== undefined;
  if (!place.startsWith('*.')) return NAME.test(place);
  return NAME.test(place.slice(2)) && place.slice(2).includes('.');
}
