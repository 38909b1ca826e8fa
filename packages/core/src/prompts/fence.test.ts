import fc from 'fast-check';
import { chooseAdditions, renderAdditions } from './additions.js';
import { fence, fencePost, oneLine } from './fence.js';

describe('fence', () => {
  it('cannot be closed by the text inside it', () => {
    const piece = fc.constantFrom('END X', '+', '\n', 'BEGIN X', 'a', '\u200b', 'EN', 'D X');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const lines = fence('X', pieces.join('')).split('\n');
        const end = lines.at(-1);
        expect(lines.at(0)).toBe(end?.replace('END', 'BEGIN'));
        expect(lines.slice(0, -1).join('\n')).not.toContain(end);
      }),
    );
  });

  it('does not let a title hide the body', () => {
    expect(fencePost('ISSUE', { title: '<!-- a\nb', body: 'c --> d' })).toBe(
      'BEGIN ISSUE\n<!-- a b\n\nc --> d\nEND ISSUE',
    );
  });

  it('has a one-line name that never ends in the middle of a character', () => {
    expect(fence('a\nEND a\u202e', 'x')).toBe('BEGIN a END a\nx\nEND a END a');
    expect(oneLine(`${'x'.repeat(299)}\u{1f600}y`)).toBe(`${'x'.repeat(299)}…`);
  });
});

describe('additions from a repository', () => {
  const file = (path: string) => ({ path, text: path });
  const files = ['design_start', 'review', 'system_base', 'other'].map((name) =>
    file(`.mergexo/prompts/${name}.md`),
  );

  it('consist of the guidelines, the file for every turn and the file for this kind of turn', () => {
    expect(
      chooseAdditions('review', [...files, file('GUIDE.md')], 'GUIDE.md').map(({ path }) => path),
    ).toEqual(['GUIDE.md', '.mergexo/prompts/system_base.md', '.mergexo/prompts/review.md']);
    expect(chooseAdditions('bugfix_start', [], undefined)).toEqual([]);
  });

  it('include AGENTS.md and CLAUDE.md of the root, each once', () => {
    const rules = ['AGENTS.md', 'CLAUDE.md', 'src/AGENTS.md'].map(file);
    expect(chooseAdditions('review', rules, 'CLAUDE.md').map(({ path }) => path)).toEqual([
      'CLAUDE.md',
      'AGENTS.md',
    ]);
  });

  it('are cut to the maximum size, with a note', () => {
    const [, text] = renderAdditions([{ path: 'GUIDE.md', text: 'x'.repeat(20_005) }]);
    expect(text).toContain('[5 more characters were cut]');
  });
});
