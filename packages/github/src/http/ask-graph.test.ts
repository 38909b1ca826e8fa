import { silentLog } from '@mergexo/core/basics';
import { z } from 'zod';
import { createAskGraph, graphUrlOf } from './ask-graph.js';

const Answered = z.object({ viewer: z.object({ login: z.string() }).nullable() });
const LOCATIONS = [{ line: 1, column: 1 }];
const HEADERS = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '90' };
const BUSY = { message: 'Something went wrong while executing your query.' };

const ask = (kind: 'query' | 'mutation', data: unknown) => {
  const connection = {
    apiUrl: 'https://api.github.com',
    token: async () => 'TOKEN',
    writable: ['acme/app'],
    userAgent: 'mergexo-test',
    throttled: false,
    now: () => 60_000,
    log: silentLog,
  };
  const send = async () => ({ status: 200, data, headers: { ...HEADERS, etag: undefined } });
  const question = { kind, repo: 'acme/app', text: '{ viewer { login } }', variables: {} };
  return createAskGraph(connection, send)(question, Answered);
};

describe('what GraphQL answers', () => {
  it.each([
    ['https://api.github.com', 'https://api.github.com/graphql'],
    ['https://api.github.com/', 'https://api.github.com/graphql'],
    ['https://github.example.com/api/v3', 'https://github.example.com/api/graphql'],
    ['https://github.example.com/api/v3/', 'https://github.example.com/api/graphql'],
    ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/graphql'],
  ])('to %s it is asked at %s', (apiUrl, url) => {
    expect(graphUrlOf(apiUrl)).toBe(url);
  });

  it('is handed on as it was asked for', async () => {
    expect(await ask('query', { data: { viewer: { login: 'a', id: 1 } } })).toEqual({
      viewer: { login: 'a' },
    });
  });

  it('may say that a part is not there', async () => {
    const errors = [{ type: 'NOT_FOUND', message: 'Could not resolve' }];
    expect(await ask('query', { data: { viewer: null }, errors })).toEqual({ viewer: null });
    expect(await ask('query', { data: {}, errors })).toBeNull();
  });

  it.each([
    ['a token that may not', { data: { viewer: null }, errors: [{ type: 'FORBIDDEN', message: 'no' }] }],
    ['a token without the scope', { errors: [{ type: 'INSUFFICIENT_SCOPES', message: 'no' }] }],
    ['a server that lacks the field', { errors: [{ message: "Field doesn't exist", locations: LOCATIONS }] }],
  ])('is nothing for %s', async (_name, reply) => {
    expect(await ask('query', reply)).toBeNull();
    expect(await ask('mutation', reply)).toBeNull();
  });

  it.each([
    ['was busy', { data: null, errors: [BUSY] }, 'unavailable'],
    ['was busy, and says it without data', { errors: [BUSY] }, 'unavailable'],
    [
      'failed half-way',
      { data: { viewer: null }, errors: [{ ...BUSY, locations: LOCATIONS }] },
      'unavailable',
    ],
    ['sent something else', { data: { viewer: {} } }, 'invalid-data'],
    ['sent a page for people', '<html>', 'invalid-data'],
  ])('is a failure when GitHub %s, and leaves a mutation unknown', async (_name, reply, kind) => {
    await expect(ask('query', reply)).rejects.toMatchObject({ kind });
    await expect(ask('mutation', reply)).rejects.toMatchObject({ kind: 'unknown-outcome' });
  });

  it.each(['query', 'mutation'] as const)(
    'tells how long to wait when the limit is reached by a %s',
    async (kind) => {
      const limited = ask(kind, { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] });
      await expect(limited).rejects.toMatchObject({ kind: 'rate-limited', retryAfterMs: 30_000 });
    },
  );
});
