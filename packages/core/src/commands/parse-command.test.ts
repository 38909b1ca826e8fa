import { measureGrowth } from '@mergexo/testkit';
import { parseCommand, parseStartCommand } from './parse-command.js';

describe('parseStartCommand', () => {
  it.each([
    ['/mergexo design', 'design_doc'],
    ['please\r\n  /MergeXO BugFix \r\nthanks', 'bugfix'],
    ['/mergexo small-job', 'small_job'],
    ['try /mergexo design', undefined],
    ['> /mergexo design', undefined],
    ['/mergexo design now', undefined],
    ['/mergexo', undefined],
    ['/mergexo deploy', undefined],
  ])('reads %j as %s', (body, flow) => expect(parseStartCommand(body)).toBe(flow));
});

describe('parseCommand', () => {
  it.each([
    ['/mergexo', { kind: 'help' }],
    ['/mergexo Retry', { kind: 'retry', reason: null }],
    ['/mergexo unblock', { kind: 'unblock', headSha: null, reason: null }],
    [
      `/mergexo unblock head_sha=${'A'.repeat(40)}`,
      { kind: 'unblock', headSha: 'a'.repeat(40), reason: null },
    ],
    ['/mergexo unblock now', { kind: 'unknown', name: 'unblock now' }],
    ['/mergexo cancel would lose work', { kind: 'unknown', name: 'cancel would lose work' }],
    ['/mergexo pause --repo ada/loom', { kind: 'unknown', name: 'pause --repo ada/loom' }],
    ['/mergexo pause reason=release day', { kind: 'pause', reason: 'release day' }],
    ['  /mergexo Cancel  Reason= a `b` *c*  ', { kind: 'cancel', reason: 'a `b` *c*' }],
    ['/mergexo resume reason=', { kind: 'resume', reason: null }],
    ['/mergexo retry reason=why reason=not', { kind: 'retry', reason: 'why reason=not' }],
    [`/mergexo skip-review reason=${'x'.repeat(400)}`, { kind: 'skip-review', reason: 'x'.repeat(300) }],
    [
      `/mergexo unblock head_sha=${'a'.repeat(40)} reason=rebased on purpose`,
      { kind: 'unblock', headSha: 'a'.repeat(40), reason: 'rebased on purpose' },
    ],
    ['/mergexo pause now reason=release', { kind: 'unknown', name: 'pause now release' }],
    ['/mergexo status reason=curious', { kind: 'unknown', name: 'status curious' }],
    ['/mergexo bugfix reason=urgent', { kind: 'unknown', name: 'bugfix' }],
    ['/mergexo bugfix', { kind: 'start', flow: 'bugfix' }],
    ['/mergexo start', { kind: 'unknown', name: 'start' }],
    ['/mergexo bugfix\n/mergexo status', { kind: 'start', flow: 'bugfix' }],
    ['/mergexo constructor', { kind: 'unknown', name: 'constructor' }],
  ])('reads %j as %j', (body, command) => expect(parseCommand(body)?.command).toEqual(command));

  const HIDDEN = '/mergexo unblock';
  it.each([
    ['an HTML comment', `<!--\n${HIDDEN}\n-->`],
    ['an HTML comment with blank lines', `<!--\n\n${HIDDEN}\n\n-->`],
    ['an HTML comment inside a paragraph', `Hello <!-- x\n${HIDDEN}\n--> there`],
    ['an HTML comment that never ends', `<!--\n\n${HIDDEN}`],
    ['a code fence', `\`\`\`\n${HIDDEN}\n\`\`\``],
    ['a tilde fence that never ends', `~~~ sh\n\n${HIDDEN}`],
    ['indented code', `Log:\n\n    ${HIDDEN}`],
    ['a code span', `See \`the\n${HIDDEN}\nlog\` there`],
    ['a code span after a visible slash', `\`the\n${HIDDEN}\nlog\`\n/`],
    ['a quote', `> ${HIDDEN}`],
    ['the continuation of a quote', `> they said\n${HIDDEN}`],
    ['a list item', `- first\n\n  ${HIDDEN}`],
    ['the continuation of a list item', `1. first\n${HIDDEN}`],
    ['a collapsed section', `<details><summary>Log</summary>\n\n${HIDDEN}\n\n</details>`],
    ['a collapsed section that never ends', `<details>\n\n${HIDDEN}`],
    ['an HTML block', `<div>\n${HIDDEN}\n</div>`],
    ['an HTML element around a paragraph', `<div align="center">\n\n${HIDDEN}\n\n</div>`],
    ['a paragraph with HTML', `<b>x\n${HIDDEN}\n</b>`],
    ['struck-out text', `~~no\n${HIDDEN}\nno~~`],
    ['text that one tilde strikes out', `~no\n${HIDDEN}\nno~`],
    ['a reference-style image', `![a\n${HIDDEN}\nb][r]\n\n[r]: https://x/y.png`],
    ['a collapsed section after a lone carriage return', `    \r<details>\n\n${HIDDEN}\n\n</details>`],
    ['code after a lone carriage return', `x\r\`\`\`\n\n${HIDDEN}\n\n\`\`\``],
    ['a heading', `${HIDDEN}\n===`],
    ['the title of a link definition', `Log:\n\n[a]: x "\n${HIDDEN}\n"`],
    ['the label of a link definition', `[a\n${HIDDEN}\n]: x`],
    ['a footnote', `Hello\n\n[^1]: see\n${HIDDEN}`],
    ['a footnote that interrupts a paragraph', `Hello\n[^1]: see\n${HIDDEN}`],
    ['the second paragraph of a footnote', `[^1]: see\n\n    more\n${HIDDEN}`],
    ['a script', `<script>\n\n${HIDDEN}\n\n</script>`],
  ])('finds no command in %s', (_where, body) => expect(parseCommand(body)).toBeUndefined());

  it.each([
    ['after text', 'Fixed it.\n/mergexo unblock'],
    ['between lines of a paragraph', 'Fixed *it*.\n  /mergexo unblock  \nThanks, `bot`.'],
    ['in emphasised text', '*now\n/mergexo unblock\nplease*'],
    ['after a quote and a blank line', '> they said\n\n/mergexo unblock'],
    ['after the end of a collapsed section', '<details>\n\nlog\n\n</details>\n\n/mergexo unblock'],
    ['after a closed HTML comment', '<!-- x -->\n\n/mergexo unblock'],
    ['after a hidden command', '<!--\n/mergexo retry\n-->\n\n/mergexo unblock'],
    ['after a footnote', '[^1]: see\n\n/mergexo unblock'],
    ['after 30,000 characters', `${'log '.repeat(7_500)}\n\n/mergexo unblock`],
    ['before a code fence', '/mergexo unblock\n```\n/mergexo retry\n```'],
  ])('finds a visible command %s', (_where, body) => {
    const { command, ignored } = parseCommand(body) ?? {};
    expect([command, ignored]).toEqual([{ kind: 'unblock', headSha: null, reason: null }, []]);
  });

  it.each([
    ['/mergexo', { kind: 'help' }],
    ['/mergexo `now`', undefined],
    ['/mergexo dance `now`', { kind: 'unknown', name: 'dance' }],
  ])('reads the visible line %j, not a command in a code span above it', (line, command) => {
    expect(parseCommand(`\`the\n${HIDDEN}\nlog\`\n${line}`)?.command).toEqual(command);
  });

  it('keeps all text after a command for the agent', () => {
    const rest = `${'x'.repeat(70_000)}\nDo not merge.`;
    expect(parseCommand(`/mergexo status\n${rest}`)?.rest).toBe(rest);
  });

  it('keeps hidden commands in the text for the agent', () => {
    const log = '```\n/mergexo retry\n```';
    expect(parseCommand(`Look:\n\n${log}\n\n/mergexo status`)?.rest).toBe(`Look:\n\n${log}`);
  });

  it.each([
    ['commands', '/mergexo x\n\n'],
    ['open tags', '<b>\n\n/mergexo\n\n'],
    ['quotes', '> '.repeat(40)],
    ['lists', '- /mergexo\n'],
    ['HTML comments', '<!--\n/mergexo\n'],
    ['code spans', '`/mergexo\n'],
  ])('is fast for a text full of %s', (_what, part) => {
    const read = (size: number) => void parseCommand(`${part.repeat(size)}\n\n/mergexo status`);
    expect(measureGrowth(read, { from: 20, to: 320 })).toBeLessThan(1.6);
  });
});
