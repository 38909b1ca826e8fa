import fc from 'fast-check';
import { markImplemented } from './mark-implemented.js';
import { parseFrontmatter } from './parse-frontmatter.js';

const TIME = '2026-01-02T03:04:05.678Z';
const DONE = `status: implemented\nimplemented_at: ${TIME}\n`;

describe('markImplemented', () => {
  it.each<[string, string, string]>([
    ['appends both keys', '---\nissue: 7\n---\n# T\n', `---\nissue: 7\n${DONE}---\n# T\n`],
    [
      'replaces an existing status',
      '---\nstatus: draft # soon\nissue: 7\n---\n',
      `---\nstatus: implemented\nissue: 7\nimplemented_at: ${TIME}\n---\n`,
    ],
    [
      'replaces both keys',
      '---\nimplemented_at: x\nstatus: "y"\nissue: 7\n---',
      `---\nimplemented_at: ${TIME}\nstatus: implemented\nissue: 7\n---`,
    ],
    ['replaces a quoted key', '---\nissue: 7\n"status": a\n---\n', `---\nissue: 7\n${DONE}---\n`],
    [
      'replaces a multi-line value',
      '---\nstatus: >\n  a\n  b\nissue: 7\n---\n',
      `---\nstatus: implemented\nissue: 7\nimplemented_at: ${TIME}\n---\n`,
    ],
    [
      'keeps a nested status',
      '---\nissue: 7\nx:\n  status: a\n---\n',
      `---\nissue: 7\nx:\n  status: a\n${DONE}---\n`,
    ],
    [
      'keeps a similar key',
      '---\nissue: 7\nmy_status: a\nstatus_2: b\n---\n',
      `---\nissue: 7\nmy_status: a\nstatus_2: b\n${DONE}---\n`,
    ],
    [
      'keeps the text below',
      '---\nissue: 7\n---\nstatus: draft\n---\n',
      `---\nissue: 7\n${DONE}---\nstatus: draft\n---\n`,
    ],
    [
      'keeps Windows line endings and the byte order mark',
      '\ufeff---\r\nissue: 7 \r\nstatus: a\r\n--- \r\n\r\n# T\r\n',
      `\ufeff---\r\nissue: 7 \r\nstatus: implemented\r\nimplemented_at: ${TIME}\r\n--- \r\n\r\n# T\r\n`,
    ],
  ])('%s', (_name, text, expected) => {
    expect(markImplemented(text, TIME)).toBe(expected);
  });

  it.each([
    ['has no frontmatter', '# Title\n'],
    ['does not close its frontmatter', '---\nissue: 7\n'],
    ['has unreadable frontmatter', '---\nissue: 7\nissue: 8\n---\n'],
    ['has frontmatter in braces', '---\n{issue: 7}\n---\n'],
    ['has empty frontmatter', '---\n---\n'],
  ])('cannot mark a document that %s', (_name, text) => {
    expect(markImplemented(text, TIME)).toBeNull();
  });

  it('marks any document exactly once, keeps its other text, and produces frontmatter that parses', () => {
    const newline = fc.constantFrom('\n', '\r\n', '\r');
    const line = fc.constantFrom(
      ...[
        'priority: 4',
        'status: draft',
        "'status': x # y",
        'implemented_at: 2026',
        '# status: no',
        'touch_paths: [a]',
        'x:',
      ],
    );
    const lines = fc.uniqueArray(line, { selector: (text) => text.replace(/'|:.*/g, '') });
    const document = fc.record({ bom: fc.boolean(), newline, lines, body: fc.string({ unit: 'binary' }) });
    fc.assert(
      fc.property(document, ({ bom, newline, lines, body }) => {
        const end = `---${newline}${body}`;
        const text = `${bom ? '\ufeff' : ''}${['---', 'issue: 7', ...lines, end].join(newline)}`;
        const marked = markImplemented(text, TIME) ?? '';
        expect(markImplemented(marked, TIME)).toBe(marked);
        expect(marked.endsWith(end)).toBe(true);
        expect(parseFrontmatter(marked)).toMatchObject({
          frontmatter: { issue: 7, status: 'implemented', implementedAt: TIME },
        });
        for (const kept of lines.filter((text) => !/^'?(status|implemented_at)/.test(text))) {
          expect(marked).toContain(kept + newline);
        }
      }),
    );
  });
});
