import assert from 'node:assert/strict';
import { at, each } from '../../testing/json-fields.js';
import type { Case } from '../client/workbench.js';

export const readingCases: Case[] = [
  {
    title: 'tells the rate limit in the headers',
    run: async ({ client }) => {
      const repo = await client.call('GET', '~');
      for (const name of ['limit', 'remaining', 'used', 'reset'])
        assert.match(repo.headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/);
    },
  },
  {
    title: 'answers an unchanged page with 304 and does not count it',
    run: async ({ client }) => {
      const first = await client.call('GET', '~/labels');
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^(?:W\/)?".+"$/);
      const second = await client.call('GET', '~/labels', {
        headers: { 'if-none-match': etag },
        expect: 304,
      });
      assert.equal(second.headers.get('x-ratelimit-used'), first.headers.get('x-ratelimit-used'));
    },
  },
  {
    title: 'refuses an unknown token with 401 and hides what does not exist behind 404',
    run: async ({ client }) => {
      const bad = await client.call('GET', '/user', { token: 'ghp_nobody', expect: 401 });
      assert.equal(at(bad.body, 'message'), 'Bad credentials');
      await client.call('GET', '/repos/{owner}/{repo}', {
        params: { repo: 'no-such-repository-here' },
        expect: 404,
      });
      await client.call('GET', '~/issues/{issue_number}', {
        params: { issue_number: 999_999_999 },
        expect: 404,
      });
    },
  },
  {
    title: 'reads branches, refs, commits and contents',
    run: async ({ client, defaultBranch }) => {
      const branch = await client.call('GET', '~/branches/{branch}', { params: { branch: defaultBranch } });
      const ref = await client.call('GET', '~/git/ref/{ref}', { params: { ref: `heads/${defaultBranch}` } });
      const sha = at(branch.body, 'commit', 'sha');
      assert.equal(at(ref.body, 'object', 'sha'), sha);
      const commit = await client.call('GET', '~/commits/{ref}', { params: { ref: defaultBranch } });
      assert.equal(at(commit.body, 'sha'), sha);
      const root = await client.call('GET', '~/contents/{path}', { params: { path: '' } });
      const file = each(root.body, 'path').find((path) => /readme/i.test(String(path)));
      const readme = await client.call('GET', '~/contents/{path}', { params: { path: String(file) } });
      assert.equal(at(readme.body, 'encoding'), 'base64');
      await client.call('GET', '~/contents/{path}', { params: { path: 'no/such/file' }, expect: 404 });
    },
  },
  {
    title: 'shows who has a login',
    run: async ({ client, login }) => {
      const found = await client.call('GET', '/users/{username}', { params: { username: login } });
      assert.equal(at(found.body, 'login'), login);
      await client.call('GET', '/users/{username}', {
        params: { username: 'no--such--login' },
        expect: 404,
      });
    },
  },
  {
    title: 'lists workflow runs',
    run: async ({ client }) => {
      const runs = await client.call('GET', '~/actions/runs', { query: { per_page: 5 } });
      assert.equal(typeof at(runs.body, 'total_count'), 'number');
    },
  },
];
