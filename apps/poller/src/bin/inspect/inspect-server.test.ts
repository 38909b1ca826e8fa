import { createFetch } from '@mergexo/github';
import { startTwin } from '@mergexo/github-twin';
import { askGitHub } from './ask-github.js';
import { inspectServer } from './inspect-server.js';

describe('the check of an Enterprise Server', () => {
  const inspect = async (enterpriseVersion: string | undefined) => {
    const twin = await startTwin({
      seed: { users: [{ login: 'ada' }] },
      ...(enterpriseVersion !== undefined && { enterpriseVersion }),
    });
    const apiUrl = `${twin.apiUrl}/api/v3`;
    const access = { apiUrl, token: twin.tokens['ada'] ?? '', now: Date.now, fetch: createFetch() };
    try {
      return await inspectServer((path) => askGitHub(access, path), apiUrl);
    } finally {
      await twin.stop();
    }
  };

  it.each([
    ['3.21.0', 'ok', 'GitHub Enterprise Server 3.21.0'],
    ['3.18.3', 'ok', 'GitHub Enterprise Server 3.18.3, without issue dependencies (from 3.19)'],
    [
      '3.16.12',
      'warning',
      'GitHub Enterprise Server 3.16.12, without the login of a GitHub App by its client id (from 3.18) and issue dependencies (from 3.19)',
    ],
  ])('names what %s lacks', async (version, status, detail) => {
    expect(await inspect(version)).toMatchObject([{ name: 'server', status, detail }]);
  });

  it('says nothing about a server that names no version, or about github.com', async () => {
    expect(await inspect(undefined)).toEqual([]);
    const ask = async (): Promise<never> => {
      throw new Error('not asked');
    };
    expect(await inspectServer(ask, 'https://api.github.com')).toEqual([]);
    expect(await inspectServer(ask, 'https://api.acme.ghe.com')).toEqual([]);
  });
});
