import { measureGrowth } from '@mergexo/testkit';
import fc from 'fast-check';
import { renderDesignDocument } from '../runs/design-document.js';
import { type ParsedFrontmatter, parseFrontmatter } from './parse-frontmatter.js';

const parse = (yaml: string): ParsedFrontmatter => parseFrontmatter(`---\n${yaml}\n---\n\n# Title\n`);
const problemsOf = (parsed: ParsedFrontmatter): readonly string[] =>
  parsed.kind === 'invalid' ? parsed.problems : [parsed.kind];
const DEFAULTS = {
  issue: 7,
  priority: 3,
  touchPaths: [],
  dependsOn: [],
  estimatedSize: 'M',
  status: null,
  implementedAt: null,
  generatedAt: null,
};

describe('parseFrontmatter', () => {
  it('reads the frontmatter that MergeXO writes', () => {
    const text = renderDesignDocument({
      issueNumber: 7,
      issueUrl: 'https://github.com/acme/app/issues/7',
      title: 'Title',
      summary: 'Summary.',
      priority: 4,
      touchPaths: ['src/api/*', '**/*.sql', 'a b/[id].tsx'],
      dependsOn: [5, 'docs/design/6-x.md'],
      estimatedSize: 'L',
      generatedAt: '2026-01-02T03:04:05Z',
      markdown: 'Text.',
    });
    expect(parseFrontmatter(text)).toEqual({
      kind: 'parsed',
      frontmatter: {
        ...DEFAULTS,
        priority: 4,
        touchPaths: ['src/api/*', '**/*.sql', 'a b/[id].tsx'],
        dependsOn: [5, 'docs/design/6-x.md'],
        estimatedSize: 'L',
        generatedAt: '2026-01-02T03:04:05Z',
      },
    });
  });

  it.each<[string, string, object]>([
    ['defaults', 'issue: 7', {}],
    ['empty values as defaults', 'issue: 7\npriority:\ntouch_paths:\ndepends_on:\nstatus:', {}],
    [
      'every way to name a dependency',
      'issue: 7\ndepends_on: [1, "2", "#3", ./docs/design/4-x.md]',
      {
        dependsOn: [1, 2, 3, 'docs/design/4-x.md'],
      },
    ],
    ['a status', 'issue: 7\nstatus: draft', { status: 'draft' }],
    ['a status that would not be allowed as a key', 'issue: 7\nstatus: prototype', { status: 'prototype' }],
    [
      'the time of the implementation',
      'issue: 7\nstatus: implemented\nimplemented_at: 2026-01-02',
      {
        status: 'implemented',
        implementedAt: '2026-01-02',
      },
    ],
    ['a block with unknown keys', 'issue: 7\nowner: {name: ada, tags: [a, b]}', {}],
    ['comments', '# mine\nissue: 7 # the issue\n', {}],
    ['block text', 'issue: 7\nnotes: |\n  * a\n  & b\n  [[[[[[[[\nstatus: x', { status: 'x' }],
  ])('reads %s', (_name, yaml, expected) => {
    expect(parse(yaml)).toEqual({ kind: 'parsed', frontmatter: { ...DEFAULTS, ...expected } });
  });

  it('reads a document with Windows line endings', () => {
    const text = '\ufeff--- \r\nissue: 7\r\npriority: 5\r\n---\r\nText';
    expect(parseFrontmatter(text)).toMatchObject({ frontmatter: { issue: 7, priority: 5 } });
  });

  it.each([
    ['a document without a leading block', '# Title\n\n---\nissue: 7\n---\n'],
    ['an empty document', ''],
    ['a document with longer rules', '----\nissue: 7\n----\n'],
  ])('finds no frontmatter in %s', (_name, text) => {
    expect(parseFrontmatter(text)).toEqual({ kind: 'none' });
  });

  it.each<[string, string, string]>([
    ['a missing issue', 'priority: 3', 'issue is missing; write the number of the issue, such as 12'],
    ['an empty block', '', 'issue is missing; write the number'],
    ['an issue that is not a number', 'issue: seven', 'line 2: issue: write the number'],
    ['an issue of 0', 'issue: 0', 'line 2: issue: write the number'],
    ['a priority of 6', 'issue: 7\npriority: 6', 'line 3: priority: write a whole number from 1 (low) to 5'],
    ['a fractional priority', 'issue: 7\npriority: 2.5', 'line 3: priority: write a whole number'],
    ['a path outside a list', 'issue: 7\ntouch_paths: src', 'line 3: touch_paths: write a list of paths'],
    [
      'a path that leaves the repository',
      'issue: 7\ntouch_paths:\n  - src\n  - ../x',
      'line 5: touch_paths: write a path inside',
    ],
    ['an empty item', 'issue: 7\ntouch_paths:\n  - src\n  -', 'line 5: touch_paths: write a path inside'],
    [
      'a number sign without a number',
      'issue: 7\ndepends_on:\n  - #12',
      'line 4: depends_on: write the number of an issue',
    ],
    [
      'a dependency that is not a number or path',
      'issue: 7\ndepends_on: [the login]',
      'line 3: depends_on: write the number',
    ],
    ['a size of XL', 'issue: 7\nestimated_size: XL', 'line 3: estimated_size: write S, M or L'],
    ['a status that is a list', 'issue: 7\nstatus: [a]', 'line 3: status: write text'],
    ['an alias', 'issue: 7\ntouch_paths:\n  - *.ts', 'line 4: a value that begins with "*" is a YAML alias'],
    ['an anchor', 'issue: &a 7', 'line 2: a value that begins with "&"'],
    ['a tag', 'issue: !!int 7', 'line 2: a value that begins with "!"'],
    ['a merge key', 'issue: 7\n<<: {priority: 5}', 'line 3: this name is not allowed as a key'],
    [
      'a key that every object inherits',
      'issue: 7\n__proto__: {priority: 5}',
      'line 3: this name is not allowed as a key',
    ],
    [
      'an inherited key in escaped form',
      'issue: 7\n"\\x5f_proto__": 1',
      'line 3: this name is not allowed as a key',
    ],
    [
      'an inherited key at a deeper level',
      'issue: 7\nx:\n  - constructor: 1',
      'line 4: this name is not allowed as a key',
    ],
    ['a repeated key', 'issue: 7\nissue: 8', 'line 3: this key appears twice'],
    ['a tab', 'issue: 7\ntouch_paths:\n\t- src', 'line 4: indent with spaces instead of tabs'],
    ['a list at the top', '- issue: 7', 'line 2: write one "key: value" per line'],
    ['a reserved character', 'issue: 7\nstatus: @ada', 'line 3: this is not valid YAML'],
    ['unclosed brackets', 'issue: 7\ntouch_paths: [a', 'this is not valid YAML'],
    ['a document end marker', 'issue: 7\n...\npriority: 5', 'line 3: a line "..." ends the YAML too early'],
    ['a second document', '--- {issue: 7}', 'line 2: a second YAML document'],
    ['a directive', '%YAML 1.1', 'line 2: a YAML directive'],
    ['a control character', 'issue: 7\nstatus: a\u0002b', 'line 3: this line contains a control character'],
    ['deeply nested brackets', `issue: 7\nx: ${'['.repeat(9)}`, 'line 3: this is nested too deeply'],
    ['deeply nested lists', `x:\n  ${'- '.repeat(9)}a`, 'line 3: this is nested too deeply'],
    ['too many values', `issue: 7\nx: [${'1,'.repeat(3_000)}]`, 'line 3: this block is too long'],
    [
      'too many paths',
      `issue: 7\ntouch_paths: [${'a,'.repeat(201)}]`,
      'line 3: touch_paths: write at most 200',
    ],
    [
      'a block that is too long',
      `issue: 7\n# ${'x'.repeat(17_000)}`,
      'line 1: the block has 17012 characters',
    ],
  ])('reports %s with a correction', (_name, yaml, problem) => {
    expect(problemsOf(parse(yaml))).toContainEqual(expect.stringContaining(problem));
  });

  it('reports an unclosed block', () => {
    const parsed = parseFrontmatter('---\nissue: 7\n\n# Title\n');
    expect(problemsOf(parsed)).toEqual([expect.stringContaining('is not closed; add a line "---"')]);
  });

  it('reports all problems at once, up to a limit', () => {
    expect(problemsOf(parse('issue: x\npriority: 9\nestimated_size: Q'))).toHaveLength(3);
    expect(problemsOf(parse(`issue: 7\ntouch_paths:\n${'  - ../x\n'.repeat(100)}`))).toHaveLength(10);
  });

  it.each(['x: [', '[', '- ', '? ', 'a: ', ': ', '"', "'", '{a: ', '? a\n', '- \n', '  - x\n', '&a ', '*a '])(
    'takes linear time for repetitions of %j',
    (piece) => {
      const growth = measureGrowth((size) => parse(piece.repeat(size / piece.length)), {
        from: 1_000,
        to: 16_000,
      });
      expect(growth).toBeLessThan(1.6);
    },
  );

  it('never throws for any text', () => {
    const piece = fc.constantFrom(
      ...[
        'issue: 7\n',
        '- ',
        '[',
        ']',
        '{',
        '}',
        ': ',
        '\n',
        '  ',
        '"',
        "'",
        '|',
        '#',
        '*',
        '&',
        '!',
        '---',
        '\t',
        'a',
      ],
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((pieces) => pieces.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (yaml) => {
          const parsed = parse(yaml);
          expect(['none', 'parsed', 'invalid']).toContain(parsed.kind);
          if (parsed.kind === 'invalid') expect(parsed.problems.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 300 },
    );
  });
});
