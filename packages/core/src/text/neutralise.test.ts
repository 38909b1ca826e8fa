import fc from 'fast-check';
import {
  MAX_BODY,
  neutraliseLine,
  neutraliseMarkdown,
  neutraliseText,
  neutraliseTitle,
  redactNeutral,
} from './neutralise.js';
import { createRedact } from './secrets/redact.js';

const CLOSES = /\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\s*:?\s+([\w.-]+\/[\w.-]+)?#\d/i;

describe('neutraliseText', () => {
  it.each([
    'Fixes #1',
    'closes: #22',
    'This resolved acme/app#3, really',
    'FIX  #4',
    'fixed https://github.com/a/b/issues/5',
  ])('does not let %j close an issue', (text) => {
    const harmless = neutraliseText(text);
    expect(harmless).not.toMatch(CLOSES);
    expect(harmless).not.toMatch(/fixed\s+https:/);
    expect(harmless.replaceAll('\u2060', '')).toBe(text);
  });

  it('removes mentions but keeps email addresses', () => {
    expect(neutraliseText('thanks @alice and (@acme/team)')).not.toMatch(/@[A-Za-z]/);
    expect(neutraliseText('mail a@b.example stays')).toBe('mail a@b.example stays');
  });

  it.each(['_@octocat_', '`@octocat', '&#64;octocat', '&#x40;octocat', '&commat;octocat'])(
    'breaks the mention in %s',
    (text) => {
      const harmless = neutraliseText(text);
      expect(harmless).not.toMatch(/(?:@|&#64;|&#x40;|&commat;)octocat/);
      expect(harmless.replaceAll('\u2060', '')).toBe(text);
    },
  );

  it.each(['\u00a0', '\ufeff', '\f', '\v', '\n\u00a0'])(
    'disables a command after the whitespace %j',
    (space) => {
      expect(neutraliseText(`${space}/mergexo unblock`)).not.toMatch(/^\s*\/mergexo/m);
    },
  );

  it('disables commands', () => {
    expect(neutraliseText('ok\n/mergexo unblock\n> /mergexo retry')).not.toMatch(/^[\s>]*\/mergexo/m);
  });

  it.each([
    '/lgtm',
    '/approve cancel',
    '  /ok-to-test',
    '> /merge squash',
    '/azp run',
    '/ok_to_test',
    '/test:all',
    '/merge!',
    `${' '.repeat(41)}/approve`,
    `${'> '.repeat(41)}/approve`,
    '!deploy production',
    'bors r+',
    'Release-As: 9.0.0',
  ])('breaks the command %j of other bots', (text) => {
    const broken = neutraliseText(`Fixed.\n\n${text}\nend`);
    expect(broken).not.toMatch(/^[\s>]*(?:\/[a-z_:!-]+(?:\s|$)|!\w|bors |release-as:)/im);
    expect(broken.replaceAll('\u2060', '')).toBe(`Fixed.\n\n${text}\nend`);
  });

  it.each(['/usr/bin/env', '/api/v1 returns 200', '/ divides', '!== null', 'borscht'])(
    'leaves %j as it is',
    (text) => {
      expect(neutraliseText(`Fixed.\n\n${text}`)).toBe(`Fixed.\n\n${text}`);
    },
  );

  it('exposes hidden text and markers', () => {
    expect(neutraliseText('a <!-- mergexo-action:00 --> b')).not.toContain('<!--');
  });

  it('notes how much was cut', () => {
    const cut = neutraliseText('x'.repeat(MAX_BODY + 5));
    expect(cut).toMatch(/_\(5 more characters omitted\)_$/);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        expect(neutraliseText(neutraliseText(text))).toBe(neutraliseText(text));
      }),
    );
  });
});

describe('neutraliseMarkdown', () => {
  it.each([
    ['generics', 'Map<String, Vec<T>>\n'.repeat(3_000)],
    ['processing instructions', '<?'.repeat(30_000)],
    ['HTML only at the start', `${'<?'.repeat(15_000)}${'x'.repeat(30_000)}`],
    ['half a surrogate pair at the cut', `${'<? '.repeat(10_000)}${'😀'.repeat(15_000)}`],
  ])('leaves room for the signature in a long text with %s', (_what, text) => {
    const safe = neutraliseMarkdown(text);
    expect(safe.length).toBeLessThan(MAX_BODY + 300);
    expect(safe.length).toBeGreaterThan(MAX_BODY / 2);
    expect(safe).toMatch(/_\(\d+ more characters omitted\)_$/);
    expect(safe).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
  });

  it('closes open Markdown, even where the text is cut', () => {
    expect(neutraliseMarkdown('@alice:\n\n```\ncode')).toBe('@\u2060alice:\n\n```\ncode\n```');
    const cut = neutraliseMarkdown(`~~~\n${'x'.repeat(MAX_BODY)}`);
    expect(cut).toMatch(/x\n~~~\n\n_\(4 more characters omitted\)_$/);
  });
});

describe('neutraliseLine', () => {
  it('returns one line that opens no Markdown block or HTML tag', () => {
    expect(neutraliseLine('```\n<details> of @alice')).toBe('\u2060``` <\u2060details> of @\u2060alice');
  });
});

describe('redactNeutral', () => {
  it.each(['redis://x:pw@octocat', 'sk-ant-key@octocat'])('mentions nobody in %j', (text) => {
    const redacted = redactNeutral(neutraliseText(text), createRedact(['sk-ant-key']));
    expect(redacted).toMatch(/\[redacted\]@\u2060octocat$/);
  });
});

describe('neutraliseTitle', () => {
  it('returns one short line', () => {
    expect(neutraliseTitle('Fix\n\nthe \u202Ething\u0007')).toBe('Fix the thing');
    expect(neutraliseTitle('y'.repeat(500))).toHaveLength(200);
  });
});
