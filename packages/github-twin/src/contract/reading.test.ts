import assert from 'node:assert/strict';
import { at, each } from '../testing/json-fields.js';
import { useBench } from './bench.js';

describe('the contract with GitHub: reading', () => {
  const open = useBench();

  it('returns the rate limit in headers', async () => {
    const { call } = open();
    const { headers } = await call('GET ~');
    for (const name of ['limit', 'remaining', 'used', 'reset'])
      assert.match(headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/);
  });

  it('returns 304 for an unchanged page and does not count the request', async () => {
    const { call } = open();
    const first = await call('GET ~/labels');
    const etag = first.headers.get('etag') ?? '';
    assert.match(etag, /^(?:W\/)?".+"$/);
    const again = { headers: { 'if-none-match': etag }, expect: 304 };
    const second = await call('GET ~/labels', undefined, again);
    assert.equal(second.headers.get('x-ratelimit-used'), first.headers.get('x-ratelimit-used'));
  });

  it('returns 401 for an unknown token and 404 for a missing repository', async () => {
    const { call } = open();
    const bad = await call('GET /user', undefined, { token: 'ghp_nobody', expect: 401 });
    assert.equal(at(bad.body, 'message'), 'Bad credentials');
    await call('GET ~-no-such-repository-here', undefined, 404);
    await call('GET ~/issues/999999999', undefined, 404);
  });

  it('returns branches, refs, commits and contents', async () => {
    const { call, defaultBranch } = open();
    const sha = at((await call(`GET ~/branches/${defaultBranch}`)).body, 'commit', 'sha');
    assert.equal(at((await call(`GET ~/git/ref/heads/${defaultBranch}`)).body, 'object', 'sha'), sha);
    assert.equal(at((await call(`GET ~/commits/${defaultBranch}`)).body, 'sha'), sha);
    const root = await call('GET ~/contents/');
    const file = each(root.body, 'path').find((path) => /readme/i.test(String(path)));
    assert.equal(at((await call(`GET ~/contents/${file}`)).body, 'encoding'), 'base64');
    await call('GET ~/contents/no/such/file', undefined, 404);
  });

  it('returns a user by login', async () => {
    const { call, login } = open();
    assert.equal(at((await call(`GET /users/${login}`)).body, 'login'), login);
    await call('GET /users/no--such--login', undefined, 404);
  });

  it('lists workflow runs', async () => {
    const { call } = open();
    const runs = await call('GET ~/actions/runs?per_page=5');
    assert.equal(typeof at(runs.body, 'total_count'), 'number');
  });
});
