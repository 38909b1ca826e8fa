import fc from 'fast-check';
import { parseCommand } from './parse-command.js';

/** Places in a comment that GitHub hides, or that quote somebody else. An operator may paste such text. */
const PLACES: readonly [string, (command: string) => string][] = [
  ['an HTML comment', (command) => `<!--\n${command}\n-->`],
  ['an HTML comment with blank lines', (command) => `<!--\n\n${command}\n\n-->`],
  ['an HTML comment inside a paragraph', (command) => `Hello <!-- x\n${command}\n--> there`],
  ['an HTML comment that never ends', (command) => `<!--\n\n${command}`],
  ['an HTML comment after `<?`', (command) => `I see <? in the log. <!--\n${command}\n-->`],
  ['an HTML comment after `<![CDATA[`', (command) => `a <![CDATA[b]](x) <!--\n${command}\n-->`],
  ['a processing instruction after `<![CDATA[`', (command) => `a <![CDATA[b]](x) <?\n${command}\n?>`],
  ['an HTML comment that starts in deep quotes', (command) => `${'>'.repeat(25)} <!--\n\n${command}\n\n-->`],
  ['a code fence', (command) => `\`\`\`\n${command}\n\`\`\``],
  ['a tilde fence that never ends', (command) => `~~~ sh\n\n${command}`],
  ['indented code', (command) => `Log:\n\n    ${command}`],
  ['a code span', (command) => `See \`the\n${command}\nlog\` there`],
  ['a code span after a visible slash', (command) => `\`the\n${command}\nlog\`\n/`],
  ['a quote', (command) => `> ${command}`],
  ['the continuation of a quote', (command) => `> they said\n${command}`],
  ['a list item', (command) => `- first\n\n  ${command}`],
  ['the continuation of a list item', (command) => `1. first\n${command}`],
  ['a collapsed section', (command) => `<details><summary>Log</summary>\n\n${command}\n\n</details>`],
  ['a collapsed section that never ends', (command) => `<details>\n\n${command}`],
  ['an HTML block', (command) => `<div>\n${command}\n</div>`],
  ['an HTML element around a paragraph', (command) => `<div align="center">\n\n${command}\n\n</div>`],
  ['a paragraph with HTML', (command) => `<b>x\n${command}\n</b>`],
  ['struck-out text', (command) => `~~no\n${command}\nno~~`],
  ['text that one tilde strikes out', (command) => `~no\n${command}\nno~`],
  ['a reference-style image', (command) => `![a\n${command}\nb][r]\n\n[r]: https://x/y.png`],
  [
    'a collapsed section after a lone carriage return',
    (command) => `    \r<details>\n\n${command}\n\n</details>`,
  ],
  ['code after a lone carriage return', (command) => `x\r\`\`\`\n\n${command}\n\n\`\`\``],
  ['a heading', (command) => `${command}\n===`],
  ['the title of a link definition', (command) => `Log:\n\n[a]: x "\n${command}\n"`],
  ['the label of a link definition', (command) => `[a\n${command}\n]: x`],
  ['a footnote', (command) => `Hello\n\n[^1]: see\n${command}`],
  ['a footnote that interrupts a paragraph', (command) => `Hello\n[^1]: see\n${command}`],
  ['the second paragraph of a footnote', (command) => `[^1]: see\n\n    more\n${command}`],
  ['a script', (command) => `<script>\n\n${command}\n\n</script>`],
];

const COMMANDS = [
  '/mergexo unblock',
  `/mergexo unblock head_sha=${'a'.repeat(40)}`,
  '/mergexo retry',
  '/mergexo cancel',
  '/mergexo bugfix',
];
const ATTACKS = PLACES.flatMap(([place, hide]) =>
  COMMANDS.map((command): [string, string, string] => [command.slice(0, 30), place, hide(command)]),
);

const prefix = (mark: string) => (text: string) =>
  text
    .split(/\r?\n|\r/)
    .map((line) => mark + line)
    .join('\n');
const WRAPS = [
  prefix('> '),
  (text: string) => `Log:\n\n${prefix('    ')(text)}`,
  (text: string) => `${'~'.repeat(12)}\n${text}\n${'~'.repeat(12)}`,
];

describe('a command that somebody hid in pasted text', () => {
  it.each(ATTACKS)('has no effect: %s in %s', (_command, _place, body) => {
    expect(parseCommand(body)).toBeUndefined();
  });

  it.each(PLACES)('has no effect below visible text, and with CRLF: in %s', (_place, hide) => {
    const body = `Please look at this log.\n\n${hide('/mergexo unblock')}`;
    expect(parseCommand(body)).toBeUndefined();
    expect(parseCommand(body.replaceAll('\n', '\r\n'))).toBeUndefined();
  });

  it.each(PLACES)('does not become part of a visible command before it: in %s', (_place, hide) => {
    const parsed = parseCommand(`/mergexo status\n\n${hide('/mergexo unblock')}`);
    expect(parsed).toMatchObject({ command: { kind: 'status' }, ignored: [] });
  });

  it.each(PLACES)('has no effect inside quotes and code of any depth: in %s', (_place, hide) => {
    const wrap = fc.constantFrom(...WRAPS);
    fc.assert(
      fc.property(fc.array(wrap, { minLength: 1, maxLength: 4 }), (wraps) => {
        const body = wraps.reduce((text, each) => each(text), hide('/mergexo unblock'));
        expect(parseCommand(body)).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });
});
