import { aReviewEvent } from '../testing/a-feedback-context.js';
import { readCurrentCode } from './read-current-code.js';

const HEAD = 'a'.repeat(40);
const LINES = Array.from({ length: 300 }, (_, index) => `line ${index + 1}`);

describe('the current code of an outdated comment', () => {
  const read = async (startLine: number, line: number) => {
    const slot = { diff: async () => '', readCommitted: async () => Buffer.from(LINES.join('\n')) };
    const outdated = { sha: 'b'.repeat(40), startLine, line };
    const code = await readCurrentCode({ startSha: HEAD, slot }, [
      { ...aReviewEvent(11), line: null, outdated },
    ]);
    const { text = '', ...place } = code.get(11) ?? {};
    return { ...place, last: text.split('\n').at(-1) };
  };

  it('has some lines before and after', async () => {
    expect(await read(20, 22)).toEqual({ startLine: 12, last: 'line 30', left: 0 });
  });

  it('ends with the file', async () => {
    expect(await read(290, 299)).toEqual({ startLine: 282, last: 'line 300', left: 0 });
  });

  it('counts the lines up to the end of the file', async () => {
    expect(await read(215, 299)).toEqual({ startLine: 207, last: 'line 286', left: 14 });
  });

  it('has at most 80 lines, and counts the others', async () => {
    expect(await read(20, 200)).toEqual({ startLine: 12, last: 'line 91', left: 117 });
  });
});
