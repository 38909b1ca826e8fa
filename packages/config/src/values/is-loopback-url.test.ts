import { isLoopbackUrl } from './is-loopback-url.js';

describe('isLoopbackUrl', () => {
  it.each([
    ['http://localhost:1', true],
    ['http://LOCALHOST', true],
    ['http://a.localhost', true],
    ['http://127.0.0.1', true],
    ['http://127.9.9.9', true],
    ['http://127.1', true],
    ['http://0x7f.1', true],
    ['http://[::1]:80', true],
    ['redis://127.0.0.1:6379', true],
    ['redis://localhost', true],
    ['redis://[::1]', true],
    ['redis://0x7f.1', true],
    ['http://127.0.0.1.example.com', false],
    ['http://localhost.example.com', false],
    ['http://notlocalhost', false],
    ['http://user@example.com:80/localhost', false],
    ['http://localhost@example.com', false],
    ['http://0.0.0.0', false],
    ['redis://redis', false],
    ['nonsense', false],
  ])('classifies %s as loopback: %s', (url, expected) => expect(isLoopbackUrl(url)).toBe(expected));
});
