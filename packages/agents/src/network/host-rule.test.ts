import { aRule } from '../testing/proxy-bench.js';
import { findRule, parseTarget, readHostRule, readUrlRule, showTarget, type Way } from './host-rule.js';

describe('readHostRule', () => {
  it.each([
    [
      'Registry.npmjs.org',
      {
        host: 'registry.npmjs.org',
        ports: [443, 80],
        tlsPorts: [443],
        plainPorts: [80],
        mayBePrivate: false,
      },
    ],
    [
      '*.example.com',
      { host: '*.example.com', ports: [443, 80], tlsPorts: [443], plainPorts: [80], mayBePrivate: false },
    ],
    [
      '*.example.com:8443',
      { host: '*.example.com', ports: [8443], tlsPorts: [], plainPorts: [], mayBePrivate: false },
    ],
    [
      'cache.internal:8080',
      { host: 'cache.internal', ports: [8080], tlsPorts: [], plainPorts: [], mayBePrivate: true },
    ],
    [
      'cache.internal:443',
      { host: 'cache.internal', ports: [443], tlsPorts: [443], plainPorts: [], mayBePrivate: true },
    ],
    ['10.0.0.7:8443', { host: '10.0.0.7', ports: [8443], tlsPorts: [], plainPorts: [], mayBePrivate: true }],
    ['[0:0::1]:80', { host: '::1', ports: [80], tlsPorts: [], plainPorts: [], mayBePrivate: true }],
  ])('reads %s', (entry, rule) => {
    expect(readHostRule(entry)).toEqual(rule);
  });

  it('throws for an entry that the configuration should have rejected', () => {
    expect(() => readHostRule('a b')).toThrow('not a host: a b');
  });
});

describe('readUrlRule', () => {
  it.each([
    ['http://127.0.0.1:4000/v1', '127.0.0.1', 4000, false],
    ['https://llm.corp.example/v1', 'llm.corp.example', 443, true],
    ['https://llm.corp.example:8443', 'llm.corp.example', 8443, true],
    ['http://[::1]:11434', '::1', 11434, false],
    ['http://plain.example', 'plain.example', 80, false],
  ])('allows exactly the endpoint of %s', (url, host, port, isTls) => {
    expect(readUrlRule(url)).toEqual({
      host,
      ports: [port],
      tlsPorts: isTls ? [port] : [],
      plainPorts: [],
      mayBePrivate: true,
    });
  });

  it.each(['', 'llm.example', 'ftp://llm.example', 'file:///etc'])('ignores %j', (text) => {
    expect(readUrlRule(text)).toBeUndefined();
  });
});

describe('findRule', () => {
  const rules = [
    readHostRule('example.com'),
    readHostRule('*.suffix.test'),
    readHostRule('raw.suffix.test:80'),
    aRule('model.test', 8443, { tlsPorts: [8443] }),
    readHostRule('model.test:8443'),
  ];
  it.each<[string, Way, boolean]>([
    ['example.com:443', 'tunnel', true],
    ['example.com:443', 'request', false],
    ['EXAMPLE.com:80', 'request', true],
    ['EXAMPLE.com:80', 'tunnel', false],
    ['example.com:8080', 'tunnel', false],
    ['a.suffix.test:443', 'tunnel', true],
    ['a.b.suffix.test:443', 'tunnel', true],
    ['a.suffix.test:80', 'tunnel', false],
    ['raw.suffix.test:80', 'tunnel', true],
    ['suffix.test:443', 'tunnel', false],
    ['model.test:8443', 'tunnel', true],
    ['model.test:8443', 'request', false],
  ])('decides on %s by %s: %s', (text, way, isAllowed) => {
    const target = parseTarget(text);
    expect(target !== undefined && findRule(rules, target, way) !== undefined).toBe(isAllowed);
  });
});

describe('showTarget', () => {
  it('shows only harmless characters, and at most 100 of them', () => {
    expect(showTarget('[redacted].evil.test:443')).toBe('[redacted].evil.test:443');
    expect(showTarget('<b>\u001b[1m')).toBe('?b??[1m');
    expect(showTarget('a'.repeat(5_000))).toHaveLength(100);
    expect(showTarget('')).toBe('?');
  });
});
