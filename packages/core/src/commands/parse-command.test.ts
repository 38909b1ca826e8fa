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
