import { z } from 'zod';
import { aConnection } from '../testing/a-github-client.js';
import { createAskGraph } from './ask-graph.js';

const Answered = z.object({ viewer: z.object({ login: z.string() }).nullable() });
const LOCATIONS = [{ line: 1, column: 1 }];
const HEADERS = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '90' };
const BUSY = { message: 'Something went wrong while executing your query.' };

const ask = (kind: 'query' | 'mutation', data: unknown) => {
  const connection = aConnection({ apiUrl: 'https://api.github.com', now: () => 60_000 });
  const send = async () => ({ status: 200, data, headers: { ...HEADERS, etag: undefined } });
  const question = { kind, repo: 'acme/app', text: '{ viewer { login } }', variables: {} };
  return createAskGraph(connection, send)(question, Answered);
};

describe('a GraphQL response', () => {
  it('is returned unchanged', async () => {
    expect(await ask('query', { data: { viewer: { login: 'a', id: 1 } } })).toEqual({
      viewer: { login: 'a' },
    });
  });

  it('may report a missing part', async () => {
    const errors = [{ type: 'NOT_FOUND', message: 'Could not resolve' }];
    expect(await ask('query', { data: { viewer: null }, errors })).toEqual({ viewer: null });
    expect(await ask('query', { data: {}, errors })).toBeNull();
  });

  it.each([
    [
      'a token without permission',
      { data: { viewer: null }, errors: [{ type: 'FORBIDDEN', message: 'no' }] },
    ],
    ['a token without the scope', { errors: [{ type: 'INSUFFICIENT_SCOPES', message: 'no' }] }],
    ['a server that lacks the field', { errors: [{ message: "Field doesn't exist", locations: LOCATIONS }] }],
  ])('is null for %s', async (_name, reply) => {
    expect(await ask('query', reply)).toBeNull();
    expect(await ask('mutation', reply)).toBeNull();
  });

  it.each([
    ['was busy', { data: null, errors: [BUSY] }, 'unavailable'],
    ['is busy and sends no data', { errors: [BUSY] }, 'unavailable'],
    [
      'failed during execution',
      { data: { viewer: null }, errors: [{ ...BUSY, locations: LOCATIONS }] },
      'unavailable',
    ],
    ['sends other data', { data: { viewer: {} } }, 'invalid-data'],
    ['sends an HTML page', '<html>', 'invalid-data'],
  ])('is a failure when GitHub %s, with an unknown outcome for a mutation', async (_name, reply, kind) => {
    await expect(ask('query', reply)).rejects.toMatchObject({ kind });
    await expect(ask('mutation', reply)).rejects.toMatchObject({ kind: 'unknown-outcome' });
  });

  it.each(['query', 'mutation'] as const)(
    'reports how long to wait when a %s reaches the rate limit',
    async (kind) => {
      const limited = ask(kind, { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] });
      await expect(limited).rejects.toMatchObject({ kind: 'rate-limited', retryAfterMs: 30_000 });
    },
  );
});
