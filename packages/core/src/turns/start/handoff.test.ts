import { parseSection, parseTouchPaths, splitDocument } from '../../prompts/parse-document.js';
import { renderDesignDocument } from '../../runs/design-document.js';
import { buildHandoff, type HandoffFacts, keepNewestThreads } from './handoff.js';

const DOCUMENT = renderDesignDocument({
  issueNumber: 7,
  issueUrl: 'u',
  title: 'Retry',
  summary: 'Try again.',
  priority: 3,
  touchPaths: ['src/a "b".ts', 'lib/**'],
  dependsOn: [],
  estimatedSize: 'S',
  generatedAt: '2026-01-02T03:04:05Z',
  markdown:
    '## 2.1 Goals\n\nGo.\n\n## 2.2 Non-goals (initially)\n\nNo stop.\n\n### Later\n\nMaybe.\n\n## Acceptance Criteria:\n\n- It goes.',
});
const facts: HandoffFacts = {
  designDocPath: 'docs/design/7-retry.md',
  designDocument: DOCUMENT,
  designMergeSha: 'd'.repeat(40),
  stateSummary: ' Three tries. ',
  answeredThreads: [
    { path: 'docs/design/7-retry.md', line: 3, author: 'ada', asked: 'Why?', answered: 'Because.' },
  ],
  omittedThreads: 0,
  issueBody: '## Acceptance criteria\n\n- From the issue.',
};

describe('the handoff from design to implementation', () => {
  it('contains the decisions', () => {
    expect(buildHandoff(facts)).toEqual({
      path: 'docs/design/7-retry.md',
      mergeSha: 'd'.repeat(40),
      document: expect.stringMatching(/^# Retry\n[\s\S]*- It goes\.\n$/),
      decisions: [
        { about: 'DESIGN SUMMARY', text: 'Three tries.' },
        { about: 'DECISION AT docs/design/7-retry.md:3', text: 'ada asked: Why?\n\nAnswer: Because.' },
      ],
      nonGoals: 'No stop.\n\n### Later\n\nMaybe.',
      acceptanceCriteria: '- It goes.',
      touchPaths: ['src/a "b".ts', 'lib/**'],
    });
  });

  it("uses the issue's acceptance criteria if the document has none", () => {
    const designDocument = '# Retry\n\nJust do it.';
    expect(buildHandoff({ ...facts, designDocument })).toMatchObject({
      acceptanceCriteria: '- From the issue.',
      nonGoals: null,
      touchPaths: [],
    });
    expect(buildHandoff({ ...facts, designDocument, issueBody: '' }).acceptanceCriteria).toBeNull();
  });

  it('does not let a question hide its answer', () => {
    const [thread] = facts.answeredThreads.map((one) => ({ ...one, asked: 'Why?\n<!-- x' }));
    const answeredThreads = thread === undefined ? [] : [thread];
    expect(buildHandoff({ ...facts, answeredThreads }).decisions.at(-1)?.text).toBe(
      'ada asked: Why?\n[hidden text removed: 6 characters]\n\nAnswer: Because.',
    );
  });

  it('cuts each thread to a thousand characters, with a note', () => {
    const thread = { path: null, line: null, author: 'ada', asked: 'x'.repeat(1_500), answered: 'y' };
    const { decisions } = buildHandoff({ ...facts, stateSummary: null, answeredThreads: [thread] });
    expect(decisions[0]?.text).toContain('[500 more characters]\n\nAnswer: y');
  });

  it('keeps the newest fifty threads, and says how many were left out', () => {
    const thread = { path: null, line: null, author: 'ada', asked: 'Why?' };
    const kept = keepNewestThreads(
      Array.from({ length: 53 }, (_, index) => ({ ...thread, answered: `${index}` })),
    );
    expect(kept.answeredThreads.map(({ answered }) => answered)).toEqual(
      Array.from({ length: 50 }, (_, index) => `${index + 3}`),
    );
    expect(keepNewestThreads(kept.answeredThreads).omittedThreads).toBe(0);
    expect(buildHandoff({ ...facts, ...kept }).decisions[1]?.text).toBe(
      '3 earlier answers are left out. The design document contains their result.',
    );
  });
});

describe('parseTouchPaths', () => {
  it.each<[string, string, string[]]>([
    ['a list', "touch_paths:\n  - a\n  - \"b c\"\n  - 'd''e'\nissue: 7", ['a', 'b c', "d'e"]],
    ['brackets', 'touch_paths: [a, "b", c/**]', ['a', 'b', 'c/**']],
    ['nothing', 'touch_paths: []', []],
    ['a list with comments and blank lines', 'touch_paths:\n- a # why\n\n# more\n- b', ['a', 'b']],
    ['only paths inside the repository', 'touch_paths:\n- ../x\n- /etc/passwd\n- ok', ['ok']],
    ['nothing from broken quotes', 'touch_paths:\n- "a\\x"', []],
    ['nothing if there is no list', 'issue: 7', []],
    ['nothing from a `__proto__` key', '__proto__: [a]\ntouch_paths: [b]', ['b']],
  ])('reads %s', (_name, yaml, paths) => {
    expect(parseTouchPaths(splitDocument(`---\n${yaml}\n---\nx`).frontmatter)).toEqual(paths);
  });

  it('treats an unclosed block as text', () => {
    expect(splitDocument('---\nissue: 7')).toEqual({ frontmatter: [], body: '---\nissue: 7' });
  });

  it('reads a document with Windows line endings', () => {
    expect(splitDocument('\ufeff---\r\nissue: 7\r\n---\r\n\r\nx')).toEqual({
      frontmatter: ['issue: 7'],
      body: 'x',
    });
  });
});

describe('parseSection', () => {
  it('does not treat a line of code as a heading', () => {
    const text = '## Non-goals\n\n```sh\n# goals\n```\n\nEnd.\n\n## Goals\n\nx';
    expect(parseSection(text, ['non goals'])).toBe('```sh\n# goals\n```\n\nEnd.');
  });

  it('joins sections of the same name', () => {
    expect(parseSection('# Out of scope\na\n# x\nb\n## Out of scope\nc', ['out of scope'])).toBe('a\nc');
  });
});
