import { isOwnOrigin } from './check-origin.js';

describe('isOwnOrigin', () => {
  const host = '127.0.0.1:7420';
  it.each([
    [{ host, origin: 'http://127.0.0.1:7420', 'sec-fetch-site': 'same-origin' }, true],
    [{ host }, true],
    [{ host: 'fleet.example', origin: 'https://fleet.example' }, true],
    [{ host, origin: 'http://evil.example' }, false],
    [{ host, origin: 'http://127.0.0.1:9999' }, false],
    [{ host, origin: 'null' }, false],
    [{ host, 'sec-fetch-site': 'cross-site' }, false],
    [{ host, 'sec-fetch-site': 'same-site' }, false],
    [{ host, 'sec-fetch-site': 'none' }, false],
    [{ host, origin: 'http://127.0.0.1:7420', 'sec-fetch-site': 'cross-site' }, false],
  ])('for the headers %j, returns %j', (headers, expected) => {
    expect(isOwnOrigin(headers)).toBe(expected);
  });
});
