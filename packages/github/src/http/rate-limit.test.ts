import { readRateLimit } from './rate-limit.js';

const HEADERS = {
  'x-ratelimit-limit': '5000',
  'x-ratelimit-remaining': '4999',
  'x-ratelimit-reset': '1794811017',
  'x-ratelimit-resource': 'core',
};

describe('readRateLimit', () => {
  it('reads the remaining requests, the limit and the reset time', () => {
    expect(readRateLimit(HEADERS)).toEqual({ limit: 5000, left: 4999, resetsAt: 1_794_811_017_000 });
    const { 'x-ratelimit-resource': _resource, ...older } = HEADERS;
    expect(readRateLimit(older)?.left).toBe(4999);
  });

  it.each([
    ['with the limit of the search API', { ...HEADERS, 'x-ratelimit-resource': 'search' }],
    ['with an invalid number', { ...HEADERS, 'x-ratelimit-remaining': 'many' }],
    ['without these headers', {}],
    ['that is missing', undefined],
  ])('returns undefined for a response %s', (_name, headers) => {
    expect(readRateLimit(headers)).toBeUndefined();
  });
});
