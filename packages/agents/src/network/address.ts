import { BlockList, isIPv6 } from 'node:net';

type Range = readonly [address: string, prefix: number];

/** This machine, private networks and other addresses that are not on the public internet. */
const PRIVATE: readonly Range[] = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['::1', 128],
  ['fc00::', 7],
];

/** Addresses that no name may resolve to: a cloud's metadata service gives credentials to every program that asks. */
const NEVER: readonly Range[] = [
  ['0.0.0.0', 8],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['192.0.0.192', 32],
  ['224.0.0.0', 3],
  ['::', 128],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  ['fe80::', 10],
  ['ff00::', 8],
];

/** Ranges outside 2000::/3, and ranges that carry an IPv4 address, which could be private. */
const UNUSUAL_V6: readonly Range[] = [
  ['::', 3],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['4000::', 2],
  ['8000::', 1],
];

const isPrivate = createCheck(PRIVATE);
const isNever = createCheck(NEVER);
const isUnusual = createCheck(UNUSUAL_V6);

/** Decides whether the proxy may connect to an address that a name resolved to. */
export function isReachable(address: string, { mayBePrivate }: { mayBePrivate: boolean }): boolean {
  if (isNever(address)) return false;
  // Node compares IPv4 addresses with IPv6 ranges too, as ::ffff:…, so IPv4 addresses skip these ranges.
  return mayBePrivate || !(isPrivate(address) || (isIPv6(address) && isUnusual(address)));
}

function createCheck(ranges: readonly Range[]): (address: string) => boolean {
  const list = new BlockList();
  for (const [address, prefix] of ranges) list.addSubnet(address, prefix, familyOf(address));
  // Node also compares an IPv4 address inside an IPv6 address (::ffff:127.0.0.1) with the IPv4 ranges.
  return (address) => list.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}
