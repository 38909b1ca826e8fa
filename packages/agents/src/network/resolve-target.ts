import { type LookupAddress, lookup } from 'node:dns';
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { isReachable } from './address.js';
import { findRule, type HostRule, parseTarget, type Target, type Way } from './host-rule.js';

export type Resolved =
  /** `lookup` returns only the checked addresses, so a different DNS response later has no effect. */
  | { kind: 'allowed'; target: Target; isTls: boolean; lookup: LookupFunction }
  | { kind: 'refused' }
  /** The name of an allowed host does not resolve, or the client has disconnected. */
  | { kind: 'unknown' };

export type ResolveTarget = (client: Pick<Socket, 'destroyed'>, text: string, way: Way) => Promise<Resolved>;

const REFUSED = { kind: 'refused' } as const;

/** Decides by host and port. Names are resolved once, outside the sandbox, and only if a rule allows them. */
export function createResolveTarget(rules: readonly HostRule[]): ResolveTarget {
  // One lookup at a time, because lookups occupy threads of the worker that its file operations also need.
  let queue: Promise<unknown> = Promise.resolve();
  return async (client, text, way) => {
    const target = parseTarget(text, way === 'request' ? 80 : undefined);
    const rule = target && findRule(rules, target, way);
    if (target === undefined || rule === undefined) return REFUSED;
    const found = queue.then(() => (client.destroyed ? [] : findAddresses(target.host)));
    queue = found;
    const addresses = await found;
    if (addresses.length === 0) return { kind: 'unknown' };
    // The operator allowed this exact address, but a name may resolve to any address.
    const isAddress = isIP(target.host) !== 0;
    const reachable = addresses.filter(({ address }) => isAddress || isReachable(address, rule));
    if (reachable.length === 0) return REFUSED;
    const isTls = !isAddress && rule.tlsPorts.includes(target.port);
    return { kind: 'allowed', target, isTls, lookup: answerWith(reachable) };
  };
}

function answerWith(addresses: LookupAddress[]): LookupFunction {
  const [first = { address: '', family: 4 }] = addresses;
  return (_host, { all }, done) =>
    all === true ? done(null, addresses) : done(null, first.address, first.family);
}

function findAddresses(host: string): Promise<LookupAddress[]> {
  if (isIP(host) !== 0) return Promise.resolve([{ address: host, family: isIPv6(host) ? 6 : 4 }]);
  return new Promise((resolve) => {
    lookup(host, { all: true }, (error, addresses) => resolve(error === null ? addresses : []));
  });
}
