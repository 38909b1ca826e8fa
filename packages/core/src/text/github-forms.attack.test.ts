import { measureGrowth } from '@mergexo/testkit';
import { HtmlRenderer, Parser } from 'commonmark';
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { parseCommand } from '../commands/parse-command.js';
import { neutraliseLine, neutraliseMarkdown, neutraliseText, neutraliseTitle } from './neutralise.js';

/** GitHub's rules, as its documentation lists them. */
const KEYWORDS = 'close closes closed fix fixes fixed resolve resolves resolved'.split(' ');
const ISSUES = [
  '#1',
  'GH-1',
  'gh-1',
  'acme/app#1',
  'acme#1',
  'https://github.com/acme/app/issues/1',
  'http://github.com/acme/app/issues/1',
  'https://github.com/acme/app/pull/1',
  'https://www.github.com/acme/app/issues/1?x=y#issuecomment-2',
  'www.github.com/acme/app/issues/1',
  'github.com/acme/app/issues/1',
  'https://github.example.org:8443/acme/app/issues/1',
];
/** More digits than any number needs. */
const ZEROS = '0'.repeat(300);
const SKIPS = ['[skip ci]', '[ci skip]', '[no ci]', '[skip actions]', '[actions skip]'];

const CLOSING = new RegExp(
  `(?:${KEYWORDS.join('|')})(?:\\s*:\\s*|\\s+|(?=#))(?:[\\w.-]*(?:/[\\w.-]+)?#\\d|gh-\\d|(?:https?://)?[\\w.:-]+/[\\w.-]+/[\\w.-]+/(?:issues|pull)/\\d)`,
  'iu',
);
const MENTION = /(?:^|[^a-z0-9])@[a-z0-9]/i;
const TRAILER = /^(?:skip-checks|co-authored-by|signed-off-by|reviewed-by|mergexo-turn) ?:/im;

type Node = DefaultTreeAdapterTypes.ChildNode;

const BLOCK = /^(?:p|div|li|ul|ol|blockquote|h\d|pre|table|thead|tbody|tr|td|th|details|summary|hr)$/;

/** Returns the text that a browser shows, without code. A zero byte separates blocks. */
function show(node: Node): string {
  if ('value' in node) return node.value;
  if (node.nodeName === 'br') return '\n';
  if (!('childNodes' in node) || node.nodeName === 'code') return '\0';
  const text = node.childNodes.map(show).join('');
  return BLOCK.test(node.nodeName) ? `\0${text}\0` : text;
}

/** Renders the Markdown with parsers that the code under test does not use. */
function render(markdown: string): string {
  const html = new HtmlRenderer().render(new Parser().parse(markdown));
  return parseFragment(html).childNodes.map(show).join('');
}

/** Lists the references that GitHub would find in a commit message, or in the rendered body of a pull request. */
function recognise(text: string): string[] {
  const shown = render(text).normalize('NFKC');
  const plain = text.normalize('NFKC');
  return [
    ...([shown, plain].some((each) => CLOSING.test(each)) ? ['closes'] : []),
    ...([shown, plain].some((each) => MENTION.test(each)) ? ['mentions'] : []),
    ...(SKIPS.some((skip) => text.toLowerCase().includes(skip)) ? ['skips CI'] : []),
    ...(TRAILER.test(text) ? ['trailer'] : []),
  ];
}

function expectHarmless(text: string): void {
  const harmless = neutraliseText(text);
  expect(recognise(harmless)).toEqual([]);
  expect(recognise(neutraliseMarkdown(text))).toEqual([]);
  expect(neutraliseText(harmless)).toBe(harmless);
  // Readers see the same text.
  expect(harmless.replaceAll('\u2060', '')).toBe(text.replace(/\0/g, '').trim());
}

const ENCODED: readonly string[] = [
  'Fixes &#35;1',
  'Fixes &#x23;1',
  'Fixes &#X00023;1',
  'Fixes &num;1',
  'Fixes \\#1',
  'Fixes #&#49;',
  'F&#105;xes #1',
  '&#70;ixes #1',
  'Fixes&#32;#1',
  'Fixes&nbsp;#1',
  'Fixes&Tab;#1',
  'Fixes&NewLine;#1',
  'Fixes&colon; #1',
  'Fixes \u00a0\u2003#1',
  `Fixes${' '.repeat(500)}#1`,
  `Fixes${'\n'.repeat(1)}#1`,
  'Fixes:\t#1',
  'Fixes :#1',
  'Fixes:#1',
  'Fixes#1',
  '**Fixes** #1',
  '*Fixes* **#1**',
  '_Fixes_ #1',
  'F**i**xes #1',
  '~~Fixes~~ #1',
  'Fixes **#**1',
  'Fixes [#1](https://x.example)',
  '[Fixes](https://x.example) #1',
  '[Fixes][x] #1',
  'Fixes [GH-1](x)',
  'Fixes <https://github.com/acme/app/issues/1>',
  'Fixes <b>#1</b>',
  '<b>Fixes</b> #1',
  'F<i>ix</i>es #1',
  'Fixes <a title="> x">#1</a>',
  "Fixes <a title='>' x>#1</a>",
  'Fixes<br>GH-1',
  'Fixes<br/>acme/app#1',
  'Fixes\\\nGH-1',
  'Fixes  \nGH-1',
  'Fixes <?x?>#1',
  'Fixes <!X>#1',
  '<div>\nFixes &#35<wbr>1\n</div>',
  '> Fixes\n> #1',
  '- Fixes\n  #1',
  '# Fixes #1',
  '| Fixes #1 |\n|---|',
  '\ufb01xes #1',
  'Fixe\u017f #1',
  '\uff26ixes #1',
  'Fixes \uff031',
  'Fixes [](a(b))#1',
  'Fixes [](<a)b>)#1',
  'Fixes [](x "a)b")#1',
  "Fixes [](x 'a)b')#1",
  'Fixes [](x\n"a)")#1',
  'Fi[](x<b)xes #1',
  'Fi![](x)xes #1',
  'Fixes GH**-**1',
  'note](fixes &#35;1)',
  'note](fi[x](y)xes #1)',
  'note](fi<b></b>xes #1)',
  'note][ fixes &#35;1]',
  '`<a title="` fixes &#35;1 `">`',
  '<a title=" fixes &#35;1 ">\n\n<select>',
  '<!fixes &#35;1>',
  '<?fixes &#35;1>',
  'prefixes #1',
  'unresolved: #1',
  // CommonMark decodes no entity with more than seven digits. A browser decodes it inside an HTML block.
  ...['<div>', '<table><tr><td>'].flatMap((tag) =>
    [
      `&#${ZEROS}64;torvalds`,
      `&#x${ZEROS}40;torvalds`,
      `closes &#${ZEROS}35;1`,
      `clos&#${ZEROS}101;s #1`,
      `clos&#x${ZEROS}65s #1`,
    ].map((text) => `${tag}\n${text}`),
  ),
];

describe('text that would close an issue', () => {
  const plain = KEYWORDS.flatMap((keyword, index) =>
    ISSUES.map((issue, at) => {
      const gap = [' ', ': ', '  ', '\n', ' : ', '\t', ' :  ', '\u00a0'][(index + at) % 8];
      return `${index % 2 === 0 ? keyword.toUpperCase() : keyword}${gap}${issue}`;
    }),
  );

  it.each(plain)('no longer closes the issue: %j', (text) => {
    expect(recognise(text)).toContain('closes');
    expectHarmless(text);
    expectHarmless(`See the log. ${text}, thanks.`);
  });

  it.each(ENCODED)('no longer closes the issue in an unusual form: %j', expectHarmless);

  it.each([
    'Fixes #1',
    'fix: #1',
    'closes GH-1',
    'Resolves acme/app#1',
    'Fixes https://github.com/a/b/issues/1',
  ])('no longer closes the issue as the title of a squash merge: %j', (text) => {
    expect(recognise(neutraliseTitle(text))).toEqual([]);
  });
});

describe('text that would mention somebody', () => {
  it.each([
    '@octocat',
    'Thanks @octocat!',
    '(@acme/team)',
    '_@octocat_',
    'x_@octocat',
    '`@octocat',
    '\\@octocat',
    '**@**octocat',
    '&#64;octocat',
    '&#x40;octocat',
    '&#0000064;octocat',
    '&commat;octocat',
    '<b>@octocat</b>',
    '<div>\n&#64octocat\n</div>',
    '<div>\n&#x0000000000040;octocat\n</div>',
    '@&#111;ctocat',
    '@<b></b>octocat',
    '\uff20octocat',
    '\ufe6boctocat',
    '[@octocat](x)',
    '[x](https://x.example "@octocat")',
    '<a title="@octocat">x</a>',
    'https://x.example/@octocat',
    '\ufeff@octocat',
    '\0@\0octocat',
    '@@octocat',
    '.@octocat',
    '/@octocat',
    '@1',
    '<p>&#32@octocat</p>',
    '<div>&copy@octocat</div>',
    'note](see &#64;octocat)',
    'note](see @<b></b>octocat)',
    'note][ &#64;octocat]',
    '`<a title="` &#64;octocat `">`',
    '<a title=" &#64;octocat ">\n\n<select>',
    '<!see &#64;octocat>',
    '<p>a&nbsp@octocat</p>',
    '<p>x<b>@octocat</b></p>',
  ])('mentions nobody: %j', expectHarmless);
});

describe('text that would skip CI or forge a trailer', () => {
  const cases = SKIPS.flatMap((skip) => [skip, skip.toUpperCase(), `Work ${skip} done`, `a\n\n${skip}`]);

  it.each([...cases, '[skip  ci]', '[Skip-CI]', '[skip travis]', '***NO_CI***'])(
    'skips nothing: %j',
    (text) => {
      expectHarmless(text);
      expect(neutraliseTitle(text)).not.toMatch(/\[(?:skip|no|ci|actions)\b|NO_CI/i);
    },
  );

  it.each([
    'skip-checks: true',
    'skip-checks:true',
    'Skip-Checks : true',
    'Co-authored-by: A <a@b.example>',
    'CO-AUTHORED-BY: A <a@b.example>',
    'Signed-off-by: A <a@b.example>',
    'Reviewed-by: A <a@b.example>',
    'Co-authored-by    : A <a@b.example>',
    'skip-checks \t \t : true',
    'A-b-c-d-e-f-by: A <a@b.example>',
    'X1-by: A <a@b.example>',
    `MergeXO-Turn: ${'a'.repeat(64)}`,
  ])('has no effect: %j', (trailer) => {
    expectHarmless(`Work\n\n${trailer}`);
    expectHarmless(trailer);
  });
});

describe('text with a command for a bot', () => {
  it.each([
    '/mergexo unblock',
    '/approve',
    '/lgtm cancel',
    '!deploy production',
    'bors r+',
    '  /merge',
    '> /retest',
    '- /close',
    'Done.\n\n/hold',
    '\n\v/mergexo retry',
    '\u00a0/mergexo retry',
    '/MergeXO Cancel',
  ])('commands nothing: %j', (text) => {
    const lines = neutraliseText(text)
      .split('\n')
      .map((line) => line.trim().replace(/^[> \t*+-]+/, ''));
    expect(lines.filter((line) => /^(?:\/[a-z]|![a-z]|bors\b)/i.test(line))).toEqual([]);
    expect(parseCommand(neutraliseText(text))).toBeUndefined();
  });
});

describe('any text', () => {
  const encode = (char: string) =>
    fc.constantFrom(
      ...[
        char,
        char,
        char,
        char.toUpperCase(),
        `&#${char.charCodeAt(0)};`,
        `&#x${char.charCodeAt(0).toString(16)};`,
      ],
      ...[`<b>${char}</b>`, `**${char}**`],
    );
  const word = (text: string) => fc.tuple(...[...text].map(encode)).map((parts) => parts.join(''));
  const gap = fc
    .array(
      fc.constantFrom(
        ' ',
        '  ',
        '\n',
        '\t',
        '\u00a0',
        '&nbsp;',
        '&#32;',
        '&#x9;',
        ':',
        '&colon;',
        '*',
        '**',
        '_',
        '<i>',
        '</i>',
        '<br>',
      ),
      { minLength: 1, maxLength: 5 },
    )
    .map((parts) => parts.join(''));
  const number = fc.constantFrom('1', '23', '&#49;', '<b>4</b>');
  const issue = fc.oneof(
    fc.constantFrom(...ISSUES),
    fc
      .tuple(fc.constantFrom('#', '\\#', '&#35;', '&num;', '&#x23;', '[#', '(#', 'a/b#'), number)
      .map((parts) => parts.join('')),
  );
  const closing = fc
    .constantFrom(...KEYWORDS)
    .chain((keyword) => fc.tuple(word(keyword), gap, issue))
    .map((parts) => parts.join(''));
  const mention = fc
    .tuple(fc.constantFrom('@', '&#64;', '&commat;', '\\@', '\uff20'), word('octocat'))
    .map((parts) => parts.join(''));
  const noise = fc.oneof(
    fc.constantFrom(
      '\n\n',
      '```',
      '`',
      '> ',
      '- ',
      '# ',
      '| ',
      '](x)',
      '[',
      '<a href="',
      '"',
      '>',
      '&',
      ';',
      '\\',
      '\0',
      ' ',
      ':',
      '#',
      '@',
      '/',
    ),
    fc.constantFrom(
      ...KEYWORDS,
      ...ISSUES,
      ...SKIPS,
      'skip-checks: true',
      '/mergexo retry',
      'owner',
      '\u2060',
      '[skip',
      'ci]',
    ),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  const text = fc.array(fc.oneof(closing, mention, noise), { maxLength: 8 }).map((parts) => parts.join(''));

  it('closes nothing, mentions nobody and skips nothing after neutralising', () => {
    fc.assert(
      fc.property(text, (each) => {
        expect(recognise(neutraliseText(each))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  /** Starts and ends of markup that parsers or browsers may hide, or show because it lacks its other end. */
  const markup = fc
    .array(
      fc.constantFrom(
        ...['](', ')', '][', ']', '[', '![', '(', '[x]: ', '[x](y)', '![x](y)', '<http://', 'x', ' ', '\n'],
        ...['<a ', 'title="', '"', "'", '=', '>', '<', '</a>', '<b/', '</ ', '<b></b>', '<!', '<?', '?>'],
        ...[
          '<div>',
          '</div>',
          '<select>',
          '<svg>',
          '`',
          '``',
          '```\n',
          '\n\n',
          '\\',
          '&copy',
          '&lt',
          '&',
          ';',
        ],
        ...['*', '_', '|', '- ', '> ', '    '],
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''));

  it('closes nothing and mentions nobody inside any markup', () => {
    fc.assert(
      fc.property(markup, fc.oneof(closing, mention), markup, (before, form, after) => {
        for (const neutralise of [neutraliseText, neutraliseMarkdown, neutraliseLine])
          expect(recognise(neutralise(before + form + after))).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not change when it is neutralised again', () => {
    fc.assert(
      fc.property(text, (each) => {
        const once = neutraliseText(each);
        expect(neutraliseText(once)).toBe(once);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    'fix: handle an empty list (see #12)',
    'This closes the file and fixes the crash.',
    'Fixed. #12 is next',
    'See #12, acme/app#3 and https://github.com/acme/app/issues/1',
    'mail a@b.example, or 5 &lt; 6 &amp; 7',
    'const a = list[skip]; // no ci here',
    '[ci] skip the slow tests',
    'a table | with | cells\n- and `code` **bold** <b>html</b>',
    'Written by: nobody. By: x',
    'GH-1 and fixtures/GH-1.json',
  ])('stays unchanged if it has no such effect: %j', (each) => {
    expect(neutraliseText(each)).toBe(each);
  });

  it.each([
    'fix ',
    'fix',
    'fixes #1 ',
    'fixes:',
    '@a',
    '&#64;',
    '<a b="',
    "<a b='",
    '<a ',
    '<?',
    '](',
    '][',
    '[skip ',
    '\\',
    'a.',
    'a/',
    'co-authored-by',
    'a-',
    ' ',
    '\n',
  ])('is neutralised in linear time if it repeats %j', (piece) => {
    const run = (size: number) => void neutraliseText(`@x ${piece.repeat(size)}`);
    expect(measureGrowth(run, { from: 500, to: 8_000 })).toBeLessThan(1.6);
  });
});
