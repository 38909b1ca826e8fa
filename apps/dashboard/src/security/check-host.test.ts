import { isAllowedHost } from './check-host.js';

describe('isAllowedHost', () => {
  it.each([
    ['127.0.0.1:7420', true],
    ['localhost', true],
    ['[::1]:7420', true],
    ['Fleet.Example:80', true],
    ['[fe80::1]:7420', true],
    ['evil.example', false],
    ['evil.example:7420', false],
    ['127.0.0.1.evil.example', false],
    ['127.0.0.1@evil.example', false],
    ['localhost.', false],
    ['fleet.example.evil.example', false],
    ['', false],
    [undefined, false],
    ['localhost, evil.example', false],
  ])('for the host %j, returns %j', (header, expected) => {
    expect(isAllowedHost(header, ['fleet.example', 'fe80::1'])).toBe(expected);
  });
});
