import { chooseProxy, readProxySettings } from './proxy.js';

const PROXY = 'http://proxy.test:3128/';
const choose = (env: Record<string, string>, target = 'https://api.github.com/user') =>
  chooseProxy(readProxySettings(env), target);

describe('the proxy', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['no variable', {}, undefined],
    ['HTTPS_PROXY', { HTTPS_PROXY: 'http://proxy.test:3128' }, PROXY],
    ['https_proxy first', { https_proxy: PROXY, HTTPS_PROXY: 'http://other.test' }, PROXY],
    ['ALL_PROXY', { ALL_PROXY: PROXY }, PROXY],
    ['an address without a scheme', { HTTPS_PROXY: 'proxy.test:3128' }, PROXY],
    ['a login', { HTTPS_PROXY: 'http://ada:p%40ss@proxy.test' }, 'http://ada:p%40ss@proxy.test/'],
    ['an unsupported scheme', { HTTPS_PROXY: 'socks5://proxy.test:1080' }, undefined],
    ['an unsupported scheme before a supported one', { HTTPS_PROXY: 'socks5://s', ALL_PROXY: PROXY }, PROXY],
    ['nonsense', { HTTPS_PROXY: 'http://:::' }, undefined],
    ['HTTP_PROXY only', { HTTP_PROXY: PROXY }, undefined],
  ])('comes from %s', (_name, env, expected) => expect(choose(env)).toBe(expected));

  it.each([
    ['*', 'https://api.github.com/', true],
    ['github.com', 'https://github.com/', true],
    ['github.com', 'https://API.github.com/', true],
    ['.github.com', 'https://api.github.com/', true],
    ['*.github.com', 'https://api.github.com/', true],
    ['other.test, api.github.com:443', 'https://api.github.com/', true],
    ['other.test api.github.com:8443', 'https://api.github.com/', false],
    ['hub.com', 'https://github.com/', false],
    ['', 'http://127.0.0.1:4000/', true],
    ['', 'https://localhost:4000/', true],
    ['', 'https://github.com/', false],
  ])('with NO_PROXY=%s, the connection to %s is direct: %s', (NO_PROXY, target, isDirect) => {
    expect(choose({ HTTPS_PROXY: PROXY, NO_PROXY }, target)).toBe(isDirect ? undefined : PROXY);
  });
});
