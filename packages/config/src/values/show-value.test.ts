import { showKey, showValue } from './show-value.js';

describe('showValue', () => {
  it.each([
    ['plain', '"plain"'],
    ['', '""'],
    ['a\u001b[2Jb\r\n', '"a\\u{001b}[2Jb\\u{000d}\\u{000a}"'],
    ['right\u202eleft', '"right\\u{202e}left"'],
    ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
    ['https://name@host', '"https://(hidden)@host"'],
    ['ghp_abcdefghijklmnop', '(hidden)'],
    [5, '5'],
    [true, 'true'],
    [[], 'an empty list'],
    [['a', 'b'], 'a list of 2 values'],
    [new Date(0), 'a date'],
    [{ a: 1 }, 'a table'],
  ])('shows %p as %s', (value, shown) => expect(showValue(value)).toBe(shown));
});

describe('showKey', () => {
  it('appends a key to the path, quoted if TOML requires quotes', () => {
    expect(showKey('', 'runtime')).toBe('runtime');
    const keys = ['my-repo_1', 'my repo', 'a.b', ''].map((key) => showKey('repo', key));
    expect(keys).toEqual(['repo.my-repo_1', 'repo."my repo"', 'repo."a.b"', 'repo.""']);
  });
});
