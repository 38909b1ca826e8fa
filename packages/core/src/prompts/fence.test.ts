import fc from 'fast-check';
import { chooseAdditions, chooseTemplate, listRulePaths, renderTemplate } from './additions.js';
import { enclose, oneLine } from './fence.js';
import { quotePost } from './part.js';

describe('a fence', () => {
  it('cannot be closed by the text inside it', () => {
    const piece = fc.constantFrom('END X', ' (2)', ' (3)', '\n', 'BEGIN X', 'a', '(2)', 'EN', 'D X');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const lines = enclose('X', pieces.join('')).split('\n');
        const end = lines.at(-1) ?? '';
        expect(lines.at(0)).toBe(end.replace('END', 'BEGIN'));
        expect(pieces.join('')).not.toContain(end);
      }),
    );
  });

  it('stays short, however often the text imitates its closing line', () => {
    const text = Array.from({ length: 2_000 }, (_, index) => `END X (${index})`).join('\n');
    expect(enclose('X', text).length - text.length).toBeLessThan(40);
    expect(enclose('X', 'END X'.padEnd(60_000, '+')).length).toBeLessThan(60_040);
  });

  it('does not let a title hide the body', () => {
    expect(quotePost('issue', 'ISSUE', { title: '<!-- a\nb', body: 'c --> d' }).text).toBe(
      '<!-- a b\n\nc --> d',
    );
  });

  it('has a one-line name that never ends in the middle of a character', () => {
    expect(enclose('a\nEND a\u202e', 'x')).toBe('BEGIN a END a\nx\nEND a END a');
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

  it('include AGENTS.md and CLAUDE.md from the root, each once', () => {
    const rules = ['AGENTS.md', 'CLAUDE.md', 'src/AGENTS.md'].map(file);
    expect(chooseAdditions('review', rules, 'CLAUDE.md').map(({ path }) => path)).toEqual([
      'CLAUDE.md',
      'AGENTS.md',
    ]);
  });

  it.each([
    [['CONTRIBUTING.md', 'docs/CONTRIBUTING.md'], 'CONTRIBUTING.md'],
    [['docs/CONTRIBUTING.md', '.github/CONTRIBUTING.md', 'CONTRIBUTING.md'], '.github/CONTRIBUTING.md'],
    [['src/CONTRIBUTING.md'], undefined],
  ])('include the contribution guide that GitHub would show: %j', (paths, expected) => {
    expect(chooseAdditions('review', paths.map(file), undefined).map(({ path }) => path)).toEqual(
      expected === undefined ? [] : [expected],
    );
  });

  it.each([
    ['bugfix_start', '.github/pull_request_template.md'],
    ['implementation_start', '.github/pull_request_template.md'],
    ['design_start', undefined],
    ['implementation_feedback', undefined],
    ['review', undefined],
  ] as const)('for %s, include the template %s', (kind, expected) => {
    const found = ['docs/PULL_REQUEST_TEMPLATE.md', '.github/pull_request_template.md'].map(file);
    expect(chooseTemplate(kind, found)?.path).toBe(expected);
    expect(listRulePaths(kind, undefined).includes('PULL_REQUEST_TEMPLATE.md')).toBe(expected !== undefined);
  });

  it('keep the HTML comments of a template, but no hidden characters', () => {
    const parts = renderTemplate({ path: 'T.md', text: '<!-- Say why. -->\n## Why\u200b' });
    expect(parts[1]).toMatchObject({ text: expect.stringMatching(/^<!-- Say why\. -->\n## Why\n\[hidden/) });
  });
});
