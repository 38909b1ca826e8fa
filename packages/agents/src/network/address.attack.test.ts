import { isReachable } from './address.js';

describe('an allowed name whose owner changes its address', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '169.254.0.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a9fe:a9fe',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '4000::1',
  ])('cannot make the proxy connect to %s', (address) => {
    expect(isReachable(address, { mayBePrivate: false })).toBe(false);
  });

  it.each([
    '169.254.169.254',
    '::ffff:169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::1',
    '0.0.0.0',
    '::',
    '224.0.0.1',
  ])('cannot make the proxy connect to %s, even if private addresses are allowed', (address) => {
    expect(isReachable(address, { mayBePrivate: true })).toBe(false);
  });

  it.each([
    '8.8.8.8',
    '93.184.216.34',
    '172.15.0.1',
    '172.32.0.1',
    '104.18.0.1',
    '2606:4700::1',
    '2a00:1450::1',
  ])('can move to the public address %s (the control)', (address) => {
    expect(isReachable(address, { mayBePrivate: false })).toBe(true);
  });
});
