import { startWithApp } from '../testing/an-app.js';
import { ask } from '../testing/ask.js';
import { at } from '../testing/json-fields.js';
import { signJwt } from '../testing/sign-jwt.js';

const UNDECODABLE = 'A JSON web token could not be decoded';
const EXPIRED = /^'Expiration time' claim \('exp'\) must be a numeric value/;
const TOO_FAR = /^'Expiration time' claim \('exp'\) is too far in the future$/;
const EARLY = /^'Issued at' claim \('iat'\) must be an Integer/;

describe('an App with a JSON web token', () => {
  it('is known by its client id or its id', async () => {
    const { twin, app, jwt } = await startWithApp();
    for (const iss of [app.clientId, app.id, String(app.id)]) {
      const { status, body } = await ask(twin, 'GET /app', { token: jwt({ iss }) });
      expect([status, at(body, 'id'), at(body, 'slug')]).toEqual([200, app.id, 'mergexo']);
    }
  });

  it('may be 30 seconds ahead or 9 minutes behind', async () => {
    const { twin, jwt, clock } = await startWithApp();
    const now = clock.now() / 1000;
    const ask30 = (ahead: number) => ask(twin, 'GET /app', { token: jwt(timesAt(now + ahead)) });
    for (const ahead of [29, 30, -540]) expect((await ask30(ahead)).status).toBe(200);
    for (const [ahead, text] of [
      [32, TOO_FAR],
      [-600, EXPIRED],
    ] as const)
      expect(at((await ask30(ahead)).body, 'message')).toMatch(text);
  });

  it.each([
    ['no issuer', { iss: undefined }, 401, /^Missing 'issuer' claim/],
    ['an unknown id', { iss: 7 }, 404, /^Integration not found$/],
    ['an unknown name', { iss: 'mergexo' }, 401, /^'Issuer' claim \('iss'\) must be an Integer$/],
    ['no expiry', { exp: undefined }, 401, EXPIRED],
    ['an expiry as text', { exp: '9999999999' }, 401, EXPIRED],
    ['an issue time in the future', { iat: 9_999_999_999 }, 401, EARLY],
    ['an expiry in an hour', { exp: 9_999_999_999 }, 401, TOO_FAR],
  ])('is refused with %s', async (_, claims, status, message) => {
    const { twin, jwt } = await startWithApp();
    const refused = await ask(twin, 'GET /app', { token: jwt(claims) });
    expect([refused.status, at(refused.body, 'message')]).toEqual([status, expect.stringMatching(message)]);
  });

  it('is refused with a personal token, a foreign key, another algorithm or a changed claim', async () => {
    const { twin, app, clock } = await startWithApp();
    const [own] = app.keys();
    const claims = { iss: app.clientId, ...timesAt(clock.now() / 1000) };
    const good = signJwt(own?.pem ?? '', claims);
    const [header, , signature] = good.split('.');
    const payload = Buffer.from(JSON.stringify({ ...claims, x: 1 })).toString('base64url');
    const foreign = twin.registerApp({ slug: 'other', owner: 'bob' }).addKey();
    const tokens = [
      twin.tokens['alice'],
      signJwt(foreign.pem, claims),
      signJwt(own?.pem ?? '', claims, 'none'),
      `${header}.${payload}.${signature}`,
      'a.b.c',
      '',
    ];
    expect((await ask(twin, 'GET /app', { token: good })).status).toBe(200);
    for (const token of tokens) {
      const refused = await ask(twin, 'GET /app', { token: token ?? '' });
      expect([refused.status, at(refused.body, 'message')]).toEqual([401, UNDECODABLE]);
    }
  });

  it('cannot use other routes', async () => {
    const { twin, jwt } = await startWithApp();
    expect((await ask(twin, 'GET /repos/acme/app', { token: jwt() })).status).toBe(401);
    const asked = { token: jwt(), body: { query: '{ viewer { login } }' } };
    expect((await ask(twin, 'POST /graphql', asked)).status).toBe(401);
  });

  it('has no rate limit', async () => {
    const { twin, jwt } = await startWithApp();
    const { headers } = await ask(twin, 'GET /app', { token: jwt() });
    expect([...headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  });
});

describe('the keys of an App', () => {
  it('can be rotated: an added key works at once, and a removed one no longer', async () => {
    const { twin, app, clock } = await startWithApp();
    const [first] = app.keys();
    const second = app.addKey();
    const get = (pem = '') => {
      const token = signJwt(pem, { iss: app.clientId, ...timesAt(clock.now() / 1000) });
      return ask(twin, 'GET /app', { token });
    };
    expect([(await get(first?.pem)).status, (await get(second.pem)).status]).toEqual([200, 200]);
    app.removeKey(first?.id ?? 0);
    expect([(await get(first?.pem)).status, (await get(second.pem)).status]).toEqual([401, 200]);
    app.removeKey(second.id);
    expect(at((await get(second.pem)).body, 'message')).toBe('Integration must generate a public key');
  });

  it('are at most 25', async () => {
    const { app } = await startWithApp();
    const [key] = app.keys();
    for (let count = 1; count < 25; count += 1) app.addKey(key?.pem);
    expect(() => app.addKey(key?.pem)).toThrow("25 keys, which is GitHub's maximum");
  });
});

/** The claims of a client whose clock shows `now`. */
const timesAt = (now: number) => ({ iat: Math.floor(now) - 30, exp: Math.floor(now) + 570 });
