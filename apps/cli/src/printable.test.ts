import { toLine, toPrintable, toPrintableJson } from './printable.js';

describe('toPrintable', () => {
  it.each([
    ['colours', '\x1b[31mred\x1b[0m', 'red'],
    ['a cleared screen', 'a\x1b[2J\x1b[Hb', 'ab'],
    ['a window title', 'a\x1b]0;owned\x07b', 'ab'],
    ['a link', '\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\', 'text'],
    ['a clipboard write that never ends', 'a\x1b]52;c;ZXZpbA==', 'a'],
    ['8-bit (C1) escape sequences', 'a\x9b31mb\x9d0;x\x9cc', 'abc'],
    ['a carriage return that would overwrite the line', 'bad\rgood', 'badgood'],
    ['backspaces', 'abc\b\b\bx', 'abcx'],
    ['right-to-left overrides', 'a\u202egnp.exe', 'agnp.exe'],
    ['invisible characters', 'a\u200b\u2060b\ufeff', 'ab'],
  ])('removes %s', (_name, text, expected) => {
    expect(toPrintable(text)).toBe(expected);
  });

  it.each([
    ['line breaks', 'a\nb'],
    ['emoji and letters of any language', 'naïve 東京 🎉'],
  ])('keeps %s', (_name, text) => {
    expect(toPrintable(text)).toBe(text);
  });

  it('joins text into one line of bounded length', () => {
    expect(toLine('a\n  b\r\n\tc\u2028d')).toBe('a b c d');
    expect(toLine('x'.repeat(1_000), 10)).toBe(`${'x'.repeat(9)}…`);
  });

  it('prints JSON that contains no control characters and parses to the same value', () => {
    const value = { title: 'a\x1b[31m\x9b\u202e\u2028\x7f\u{e0001}🎉' };
    const json = toPrintableJson(value);
    expect(JSON.parse(json)).toEqual(value);
    expect(json).toMatch(/^[\x20-\x7e\n🎉]*$/u);
  });

  it('processes hostile text quickly', () => {
    expect(toPrintable('\x1b['.repeat(200_000))).toBe('');
    expect(toPrintable('\x1b]'.repeat(200_000))).toBe('');
  });
});
