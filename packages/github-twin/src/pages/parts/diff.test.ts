import { listLines, parseHunks } from '../../git/parse-patch.js';
import { renderHunkEnd, spotOf } from './diff.js';

const PATCH =
  '@@ -1,3 +1,3 @@ head\n one\n-two\n+2\n three\n\\ No newline at end of file\n@@ -10,1 +10,2 @@\n ten\n+<b>';

describe('a diff', () => {
  const lines = parseHunks(PATCH).flatMap(listLines);

  it('has the line numbers of both sides', () => {
    expect(lines.map(({ kind, oldLine, newLine }) => [kind, oldLine, newLine])).toEqual([
      ['hunk', null, null],
      ['same', 1, 1],
      ['removed', 2, null],
      ['added', null, 2],
      ['same', 3, 3],
      ['note', null, null],
      ['hunk', null, null],
      ['same', 10, 10],
      ['added', null, 11],
    ]);
  });

  it('gives the side and line number for a comment', () => {
    expect(lines.slice(0, 4).map(spotOf)).toEqual([
      undefined,
      { side: 'RIGHT', line: 1 },
      { side: 'LEFT', line: 2 },
      { side: 'RIGHT', line: 2 },
    ]);
  });

  it('shows the end of a hunk, escaped', () => {
    const { markup } = renderHunkEnd(PATCH);
    expect(markup).toContain('<td class="num">11</td>');
    expect(markup).toContain('&lt;b&gt;');
    expect(markup).not.toContain('<td class="num">1</td>');
  });
});
