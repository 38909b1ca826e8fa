/** A scripted agent that replaces Codex or Claude Code. It makes real edits to the demo project without a model. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { countOf } from '@mergexo/core/text';
import { isOfFamily } from '@mergexo/core/turns';
import { CODE, ROUNDED, review, verify } from './agent-review.js';
import { BUG_ISSUE, OWN_DESIGN, QUESTION_ISSUE, VISITOR_ISSUE } from './project.js';

const ANSWERS: Readonly<Record<string, string>> = {
  'Why does this need a separate method?':
    'Plain data is easier to test than printed text, and printing stays in one place.',
};

type Event = { kind: string; id: number; body: string };

const request = JSON.parse(readFileSync(0, 'utf8'));
const { kind, turn } = request;
report({ kind: 'read', text: `#${turn.issue.number} ${turn.issue.title}` });
report({ usage: { input_tokens: 700, cached_input_tokens: 400, output_tokens: 120, cost_usd: 0.004 } });
// The delay lets a visitor watch the agent and lets the demo kill the worker halfway.
await new Promise((resolve) =>
  setTimeout(
    resolve,
    Number(process.env['DEMO_AGENT_MS'] ?? 800) / (/^review(_verify)?$/.test(kind) ? 2 : 1),
  ),
);

const output = choose()();
const { state_summary: told = 'Read the change.' } = Object(output);
report({ kind: 'say', text: told });
process.stdout.write(
  JSON.stringify({
    session: { thread_id: `demo-${turn.issue.number}` },
    output,
    usage: {
      input_tokens: 1_200,
      cached_input_tokens: 800,
      output_tokens: 300,
      cost_usd: 0.01,
      model: 'scripted',
    },
  }),
);

function choose(): () => object {
  if (kind === 'review') return () => review(turn.new_events);
  if (kind === 'review_verify') return () => verify(turn.new_events);
  if (kind === 'review_fix') return fixFinding;
  if (kind === 'design_start') return design;
  if (kind === 'implementation_start') return implement;
  if (isOfFamily(kind, 'feedback')) return answer;
  if (turn.issue.title === QUESTION_ISSUE.title) return tabulate;
  if (turn.issue.title === BUG_ISSUE.title) return fix;
  return turn.issue.title === VISITOR_ISSUE.title ? clear : recordRequest;
}

function design(): object {
  return {
    title: turn.issue.title,
    summary: 'Adds a `--json` flag to `list`. Adds a `toData()` method that returns the list as plain data.',
    touch_paths: ['src/main.js', 'src/todo.js', 'test/todo.test.js'],
    priority: 3,
    depends_on: [],
    estimated_size: 'S',
    design_doc_markdown: [
      '## Context',
      '',
      'The output is meant for people, so scripts have to parse it.',
      '',
      '## Proposal',
      '',
      '- `toData()` returns the items as plain objects.',
      '- `list --json` prints `toData()` as one JSON array.',
      '',
      '## Non-goals',
      '',
      '- Other formats.',
      '',
      '## Acceptance criteria',
      '',
      '- `list --json` prints all items as JSON.',
      '- Without the flag, the output does not change.',
    ].join('\n'),
    state_summary: 'Designed a --json flag around toData().',
  };
}

function fix(): object {
  if (existsSync(CODE)) {
    edit(CODE, 'progress: () => Math', 'progress: () => items.length === 0 ? 100 : Math');
    addTest('an empty list is done', 'assert.equal(createList().progress(), 100);');
  }
  return {
    pr_title: 'Return 100 as the progress of an empty list',
    pr_summary:
      'Dividing by zero items gave NaN. An empty list has nothing left to do, so its progress is 100.',
    commit_message: 'fix: return 100 as the progress of an empty list\n\nDividing by zero items gave NaN.',
    state_summary: 'Fixed progress() of an empty list, with a test.',
  };
}

function fixFinding(): object {
  const findings: Event[] = turn.new_events.filter((event: Event) => event.kind === 'review');
  edit(CODE, ROUNDED, 'Math.floor(');
  addTest(
    'an almost finished list is not done',
    "const items = Array.from({ length: 300 }, (_, i) => ({ title: 'a', done: i > 0 }));",
    'assert.equal(createList(items).progress(), 99);',
  );
  return {
    commit_message: 'fix: report 100 only when every item is done',
    findings: findings.map(({ id }) => ({
      id,
      resolution: 'fixed',
      note: 'Progress is rounded down now. A test with 300 items covers it.',
    })),
    summary: 'Rounded progress down and added a test.',
    state_summary: 'progress() rounds down, as the reviewer asked. Added a test.',
  };
}

/** Asks for the separator first, and continues after a reply on the issue. */
function tabulate(): object {
  const [reply] = turn.new_events.filter((event: Event) => event.kind === 'issue');
  if (reply === undefined) return { blocked_reason: 'Should commas or tabs separate the columns?' };
  const separator = /tab/i.test(reply.body) ? '\\t' : ',';
  writeFileSync(
    'src/table.js',
    `export const toTable = (list) => list.all().map(({ title, done }) => [done ? 'x' : '', title].join('${separator}')).join('\\n');\n`,
  );
  createTestFile('test/table.test.js', [
    "import { toTable } from '../src/table.js';",
    "import { createList } from '../src/todo.js';",
    '',
    "test('prints one line per item', () => {",
    `  assert.equal(toTable(createList().add('a')), '${separator}a');`,
  ]);
  return {
    pr_title: 'Print the list as a table',
    pr_summary:
      '`toTable()` prints one line per item, separated by tabs as requested on the issue. Includes a test.',
    commit_message: 'feat: print the list as a table',
    state_summary: 'Added toTable().',
  };
}

function implement(): object {
  if (turn.task_context.design_doc_path === OWN_DESIGN.path) return color();
  if (readFileSync(CODE, 'utf8').includes('toData'))
    return { ...recordRequest(), acceptance: shownBy('CHANGES.md', 2) };
  edit(CODE, '    all: ', '    toData: () => items.map((item) => ({ ...item })),\n    all: ');
  edit(
    'src/main.js',
    'for (const',
    "if (process.argv.includes('--json')) {\n  console.log(JSON.stringify(list.toData()));\n  process.exit(0);\n}\nfor (const",
  );
  addTest(
    'returns plain data',
    "assert.deepEqual(createList().add('a').toData(), [{ title: 'a', done: false }]);",
  );
  return {
    pr_title: 'Show the list as JSON',
    pr_summary: '`toData()` returns plain objects, and `--json` prints them.',
    commit_message: 'feat: show the list as JSON',
    state_summary: 'Implemented the design, with a test.',
    acceptance: shownBy('test/todo.test.js', 2),
  };
}

function color(): object {
  writeFileSync(
    'src/color.js',
    "export const color = (title, done) => (done ? '\\u001b[32m' + title + '\\u001b[0m' : title);\n",
  );
  edit('src/main.js', /^/, "import { color } from './color.js';\n");
  edit('src/main.js', "' ', title)", "' ', color(title, done))");
  createTestFile('test/color.test.js', [
    "import { color } from '../src/color.js';",
    '',
    "test('prints finished items in green', () => {",
    "  assert.equal(color('a', true), '\\u001b[32ma\\u001b[0m');",
    "  assert.equal(color('a', false), 'a');",
  ]);
  return {
    pr_title: 'Color finished items',
    pr_summary: 'Prints finished items in green. Open items look the same as before.',
    commit_message: 'feat: print finished items in green',
    state_summary: 'Implemented the design, with a test.',
    acceptance: shownBy('test/color.test.js', 1),
  };
}

function shownBy(path: string, criteria: number): object[] {
  return Array.from({ length: criteria }, (_, index) => ({ criterion: index + 1, shown_by: [path] }));
}

/** Fixes the failed check, whose log names the missing flag. */
function fixCheck(): object {
  appendFileSync('README.md', '\nFor scripts:\n\n    node src/main.js list --json\n');
  return {
    review_replies: [],
    general_comment: 'The check requires every flag in the README. Added `--json`.',
    commit_message: 'docs: add the --json flag to the README',
    state_summary: 'Added the flag to the README, as the check requires.',
    blocked_reason: null,
    flaky: null,
  };
}

function clear(): object {
  if (existsSync(CODE)) {
    edit(CODE, '    all: ', '    clear: () => createList(),\n    all: ');
    addTest('a cleared list is empty', "assert.deepEqual(createList().add('a').clear().all(), []);");
  }
  return {
    pr_title: 'Add a way to clear a list',
    pr_summary: '`clear()` returns a new, empty list, like the other methods. Includes a test.',
    commit_message: 'feat: add a way to clear a list',
    state_summary: 'Added clear(), with a test.',
  };
}

/** Handles issues outside the script. Without a model, the agent can only record the title. */
function recordRequest(): object {
  const title = firstLine(turn.issue.title);
  note([title]);
  return {
    pr_title: title,
    pr_summary:
      'This scripted agent only recorded the request in `CHANGES.md`. A real agent would implement it.',
    commit_message: `docs: ${title}`,
    state_summary: 'Recorded the request.',
  };
}

/** Replies to questions, and commits a note for change requests. */
function answer(): object {
  const events: Event[] = turn.new_events.filter((event: Event) => event.kind !== 'signal');
  if (events.every((event) => event.kind === 'ci')) return fixCheck();
  const requests = events.filter(({ body }) => !body.trim().endsWith('?'));
  if (requests.length > 0) note(requests.map(({ body }) => firstLine(body)));
  const notes = kind === 'design_feedback' ? 'the design document' : '`CHANGES.md`';
  const reply = ({ body }: Event): string =>
    body.trim().endsWith('?')
      ? (ANSWERS[body.trim()] ??
        `This scripted agent cannot answer "${firstLine(body)}". A real agent could.`)
      : `Done. I recorded "${firstLine(body).replace(/[.!]$/, '')}" in ${notes}.`;
  const inline = events.filter((event) => event.kind === 'review');
  const rest = events.filter((event) => event.kind !== 'review');
  return {
    review_replies: inline.map((event) => ({ review_comment_id: event.id, body: reply(event) })),
    general_comment: rest.length === 0 ? null : rest.map(reply).join('\n\n'),
    commit_message: requests.length === 0 ? null : 'docs: address the review comments',
    state_summary: `Replied to ${countOf(events.length, 'comment')}.`,
    blocked_reason: null,
    flaky: null,
  };
}

/** Reports to people who watch the turn. */
function report(progress: object): void {
  process.stderr.write(`${JSON.stringify({ progress })}\n`);
}

function edit(path: string, from: string | RegExp, to: string): void {
  report({ kind: 'edit', text: path });
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(from, () => to),
  );
}

function addTest(title: string, ...lines: string[]): void {
  const body = lines.map((line) => `  ${line}\n`).join('');
  report({ kind: 'edit', text: 'test/todo.test.js' });
  appendFileSync('test/todo.test.js', `\ntest('${title}', () => {\n${body}});\n`);
}

/** Creates a test file from these lines, adds the imports, and closes the last test. */
function createTestFile(path: string, lines: readonly string[]): void {
  report({ kind: 'edit', text: path });
  const imports = ["import assert from 'node:assert/strict';", "import test from 'node:test';"];
  writeFileSync(path, [...imports, ...lines, '});', ''].join('\n'));
}

function note(lines: readonly string[]): void {
  const path = kind === 'design_feedback' ? turn.task_context.design_doc_path : 'CHANGES.md';
  report({ kind: 'edit', text: path });
  const heading = '\n## From the review\n\n';
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '# Changes\n';
  const bullets = lines.map((line) => `- ${line}\n`).join('');
  const at = before.includes(heading) ? before : `${before.trimEnd()}\n${heading}`;
  writeFileSync(path, `${at.trimEnd()}\n${at.endsWith(heading) ? '\n' : ''}${bullets}`);
}

function firstLine(body: string): string {
  return (body.trim().split('\n')[0] ?? '').slice(0, 120);
}
