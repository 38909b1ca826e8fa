import { Failure } from '../basics/failure.js';
import { parseJournal } from './parse-journal.js';

const HEADER = { journal: 'mergexo', version: 1, created_at: 5, texts: false, logins: false };
const RUN = {
  ...{ kind: 'run', at: 1, repo: 'repo-1', issue: 7, flow: 'bugfix', ordinal: 1, status: 'merged' },
  ...{ hold: null, end: null, pr: 8 },
};
const render = (...lines: (object | string)[]): string =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

function errorOf(text: string): string {
  try {
    parseJournal(text, 'case.jsonl');
    return 'no error';
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
}

describe('parseJournal', () => {
  it('reads a header and its entries', () => {
    expect(parseJournal(`${render(HEADER, RUN)}\n`, 'x')).toEqual({ header: HEADER, entries: [RUN] });
    expect(parseJournal(render(HEADER), 'x').entries).toEqual([]);
  });

  it.each([
    ['an empty file', '', 'line 1: the line is not valid JSON'],
    [
      'another file',
      render({ version: 1 }),
      'line 1: the file is not a journal. Create one with `mergexo journal export`',
    ],
    [
      'a later version',
      render({ ...HEADER, version: 2 }),
      'line 1: the journal has version 2, and this MergeXO reads version 1',
    ],
    ['an unknown field of the header', render({ ...HEADER, run: 'rm' }), 'line 1: Unrecognized key'],
    ['a broken line', render(HEADER, '{"kind":'), 'line 2: the line is not valid JSON'],
    ['an unknown kind', render(HEADER, { ...RUN, kind: 'shell' }), 'line 2: `kind`: Invalid'],
    ['an unknown field', render(HEADER, { ...RUN, path: '/etc' }), 'line 2: Unrecognized key'],
    [
      'a text instead of a code',
      render(HEADER, { ...RUN, status: 'Merged; rm' }),
      'line 2: `status`: Invalid',
    ],
    ['a time that is no number', render(HEADER, { ...RUN, at: '1' }), 'line 2: `at`: Invalid'],
    ['a negative time', render(HEADER, { ...RUN, at: -1 }), 'line 2: `at`: Too small'],
    ['an impossible time', render(HEADER, { ...RUN, at: 1e300 }), 'line 2: `at`: '],
    [
      'a wrong order',
      render(HEADER, { ...RUN, at: 2 }, RUN),
      'line 3: the entry is older than the one before it',
    ],
    [
      'an endless line',
      render(HEADER, `"${'x'.repeat(1_000_001)}"`),
      'line 2: the line has more than 1000000 characters',
    ],
    ['a deeply nested line', render(HEADER, '['.repeat(900_000)), 'line 2: the line is not valid JSON'],
    ['a prototype', render(HEADER, '{"kind":"run","__proto__":{"at":1}}'), 'line 2: `at`: Invalid'],
  ])('refuses %s, and names the file, the line and the problem', (_name, text, problem) => {
    expect(errorOf(text)).toContain(`case.jsonl ${problem}`);
  });

  it('prints no control character of a hostile file', () => {
    const message = errorOf(render(HEADER, { ...RUN, '\u001b[2J': 1 }));
    expect(message).toContain('Unrecognized key');
    expect(message).not.toContain('\u001b');
  });
});
