import { describeHost, findApiUrl } from './github-host.js';

describe('the addresses of a GitHub', () => {
  const CLOUD = ['GITHUB_TOKEN', 'GH_TOKEN'];

  it.each([
    {
      apiUrl: 'https://api.github.com',
      expected: {
        kind: 'github.com',
        name: 'github.com',
        webUrl: 'https://github.com',
        graphUrl: 'https://api.github.com/graphql',
        noreplyDomain: 'users.noreply.github.com',
        tokenVariables: CLOUD,
      },
    },
    {
      apiUrl: 'https://api.acme.ghe.com',
      expected: {
        kind: 'data-residency',
        name: 'acme.ghe.com',
        webUrl: 'https://acme.ghe.com',
        graphUrl: 'https://api.acme.ghe.com/graphql',
        noreplyDomain: 'users.noreply.acme.ghe.com',
        tokenVariables: CLOUD,
      },
    },
    {
      apiUrl: 'https://github.acme.example/api/v3/',
      expected: {
        kind: 'server',
        name: 'github.acme.example',
        webUrl: 'https://github.acme.example',
        graphUrl: 'https://github.acme.example/api/graphql',
        noreplyDomain: 'users.noreply.github.acme.example',
        tokenVariables: ['GITHUB_ENTERPRISE_TOKEN', 'GH_ENTERPRISE_TOKEN', ...CLOUD],
      },
    },
    {
      apiUrl: 'http://127.0.0.1:8080',
      expected: {
        kind: 'server',
        name: '127.0.0.1',
        webUrl: 'http://127.0.0.1:8080',
        graphUrl: 'http://127.0.0.1:8080/graphql',
        noreplyDomain: 'users.noreply.localhost',
        tokenVariables: ['GITHUB_ENTERPRISE_TOKEN', 'GH_ENTERPRISE_TOKEN', ...CLOUD],
      },
    },
  ])('at $apiUrl', ({ apiUrl, expected }) => {
    expect(describeHost(apiUrl)).toEqual(expected);
  });

  it.each([
    ['github.com', 'https://api.github.com'],
    ['api.github.com', 'https://api.github.com'],
    ['Acme.ghe.com', 'https://api.acme.ghe.com'],
    ['api.acme.ghe.com', 'https://api.acme.ghe.com'],
    ['github.acme.example', 'https://github.acme.example/api/v3'],
    ['api.acme.example:8443', 'https://api.acme.example:8443/api/v3'],
    ['ghe.com', 'https://ghe.com/api/v3'],
  ])('are found from the host name %j', (host, apiUrl) => {
    expect(findApiUrl(host)).toBe(apiUrl);
  });

  it.each([
    '',
    'https://github.com',
    'github.com/acme',
    'a b',
    'user@github.com',
    '-x',
    'x:',
    'x\n',
    '[::1]',
  ])('are not found from %j, which is not a host name', (host) => {
    expect(findApiUrl(host)).toBeUndefined();
  });

  it('does not shorten the name of a server that begins with api', () => {
    expect(describeHost('https://api.acme.example/api/v3')).toMatchObject({
      kind: 'server',
      name: 'api.acme.example',
      webUrl: 'https://api.acme.example',
    });
  });
});
