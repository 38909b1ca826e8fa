import { readLog } from './read-log.js';

const STAMP = '2026-01-02T03:04:05.6789012Z ';

describe('readLog', () => {
  it.each<[string, string, { text: string; isError: boolean }[]]>([
    ['a timestamp', `${STAMP}npm test`, [{ text: 'npm test', isError: false }]],
    ['a timestamp without a fraction', '2026-01-02T03:04:05Z x', [{ text: 'x', isError: false }]],
    ['colors', `${STAMP}\u001b[31m\u001b[1mFAIL\u001b[0m a`, [{ text: 'FAIL a', isError: false }]],
    [
      'a color before the marker',
      `${STAMP}\u001b[36;1m##[error]x\u001b[0m`,
      [{ text: 'Error: x', isError: true }],
    ],
    ['the title of a group', `${STAMP}##[group]Run npm test`, [{ text: 'Run npm test', isError: false }]],
    ['the end of a group', `${STAMP}##[endgroup]`, []],
    [
      'a byte order mark and empty lines at the end',
      `\ufeff${STAMP}a\r\n\r\n\n`,
      [{ text: 'a', isError: false }],
    ],
    ['a date inside a line', `${STAMP}at ${STAMP}`, [{ text: `at ${STAMP}`.trimEnd(), isError: false }]],
  ])('cleans %s', (_what, log, expected) => {
    expect(readLog(log)).toEqual(expected);
  });

  it('shortens long lines without cutting through a character', () => {
    expect(readLog(`${'x'.repeat(499)}😀tail`)[0]?.text).toBe(`${'x'.repeat(499)}…`);
  });
});
