/** Stands in for Codex or Claude Code: no model, but real edits, made for the demo's project. One request, one answer. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { countOf } from '@mergexo/core/text';
import { isOfFamily } from '@mergexo/core/turns';
import { BUG_ISSUE, OWN_DESIGN, QUESTION_ISSUE, VISITOR_ISSUE } from './project.js';

const ANSWERS: Readonly<Record<string, string>> = {
  'Why a method of its own?':
    'Because plain data is easier to test than printed text; the printing stays in one place.',
};

type Event = { kind: string; id: number; body: string };

const ROUNDED = 'Math.round(';

const request = JSON.parse(readFileSync(0, 'utf8'));
const { kind, turn } = request;
// Long enough to be watched, and to be killed in the middle.
await new Promise((resolve) =>
  setTimeout(resolve, Number(process.env['DEMO_AGENT_MS'] ?? 800) / (kind === 'review' ? 2 : 1)),
);

const output = choose()();
process.stdout.write(
  JSON.stringify({
    session: { thread_id: `demo-${turn.issue.number}` },
    output,
    usage: { input_tokens: 1_200, output_tokens: 300, cost_usd: 0.01 },
  }),
);

function choose(): () => object {
  if (kind === 'review') return review;
  if (kind === 'review_fix') return mendFinding;
  if (kind === 'design_start') return design;
  if (kind === 'implementation_start') return implement;
  if (isOfFamily(kind, 'feedback')) return answer;
  if (turn.issue.title === QUESTION_ISSUE.title) return tabulate;
  if (turn.issue.title === BUG_ISSUE.title) return fix;
  return turn.issue.title === VISITOR_ISSUE.title ? clear : jot;
}

function design(): object {
  return {
    title: turn.issue.title,
    summary: 'Adds a `--json` flag to `list`. The list itself gets a method that returns plain data.',
    touch_paths: ['src/main.js', 'src/todo.js', 'test/todo.test.js'],
    priority: 3,
    depends_on: [],
    estimated_size: 'S',
    design_doc_markdown: [
      '## Context',
      '',
      'The list is printed for people only; scripts have to parse it.',
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
      '- Without the flag nothing changes.',
    ].join('\n'),
    state_summary: 'Designed a --json flag around toData().',
  };
}

function fix(): object {
  const path = 'src/todo.js';
  if (existsSync(path)) {
    const code = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      code.replace('progress: () => Math', 'progress: () => items.length === 0 ? 100 : Math'),
    );
    appendFileSync(
      'test/todo.test.js',
      "\ntest('an empty list is done', () => {\n  assert.equal(createList().progress(), 100);\n});\n",
    );
  }
  return {
    pr_title: 'Call an empty list done',
    pr_summary:
      'Dividing by zero items gave NaN. An empty list has nothing left to do, so its progress is 100.',
    commit_message: 'fix: an empty list is done\n\nDividing by zero items gave NaN.',
    state_summary: 'Fixed progress() of an empty list, with a test.',
  };
}

/** Reads the checkout as it is: the same change is judged alike by whoever made it. */
function review(): object {
  const lines = existsSync('src/todo.js') ? readFileSync('src/todo.js', 'utf8').split('\n') : [];
  const at = lines.findIndex((line) => line.includes('items.length === 0') && line.includes(ROUNDED));
  if (at < 0) return { summary: 'It does what the issue asks, and a test shows it.', findings: [] };
  const finding = {
    path: 'src/todo.js',
    line: at + 1,
    severity: 'high',
    category: 'edge_cases',
    body: 'With 299 of 300 items done this rounds up to 100: it calls a list finished that is not. Nothing tests it.',
    suggestion: lines[at]?.replace(ROUNDED, 'Math.floor('),
  };
  return { summary: 'The empty list is right now; a list that is nearly done is not.', findings: [finding] };
}

function mendFinding(): object {
  const findings: Event[] = turn.new_events.filter((event: Event) => event.kind === 'review');
  const code = readFileSync('src/todo.js', 'utf8');
  writeFileSync('src/todo.js', code.replace(ROUNDED, 'Math.floor('));
  appendFileSync(
    'test/todo.test.js',
    "\ntest('a list that is nearly done is not done', () => {\n  const items = Array.from({ length: 300 }, (_, i) => ({ title: 'a', done: i > 0 }));\n  assert.equal(createList(items).progress(), 99);\n});\n",
  );
  return {
    commit_message: 'fix: call a list done only when all of it is',
    findings: findings.map(({ id }) => ({
      id,
      resolution: 'fixed',
      note: 'It rounds down now, and a list of 300 items shows it.',
    })),
    summary: 'Rounded down, with a test.',
    state_summary: 'progress() rounds down, as the review asked, with a test.',
  };
}

/** Asks first; the comments on the issue bring the answer. */
function tabulate(): object {
  const [said] = turn.new_events.filter((event: Event) => event.kind === 'issue');
  if (said === undefined) return { blocked_reason: 'Commas or tabs between the columns?' };
  const separator = /tab/i.test(said.body) ? '\\t' : ',';
  writeFileSync(
    'src/table.js',
    `export const toTable = (list) => list.all().map(({ title, done }) => [done ? 'x' : '', title].join('${separator}')).join('\\n');\n`,
  );
  writeFileSync(
    'test/table.test.js',
    [
      "import assert from 'node:assert/strict';",
      "import test from 'node:test';",
      "import { toTable } from '../src/table.js';",
      "import { createList } from '../src/todo.js';",
      '',
      "test('prints one line per item', () => {",
      `  assert.equal(toTable(createList().add('a')), '${separator}a');`,
      '});',
      '',
    ].join('\n'),
  );
  return {
    pr_title: 'Print the list as a table',
    pr_summary: '`toTable()` prints one line per item, with tabs, as asked on the issue. With a test.',
    commit_message: 'feat: print the list as a table',
    state_summary: 'Added toTable().',
  };
}

/** What the merged design says, all of it. */
function implement(): object {
  if (turn.task_context.design_doc_path === OWN_DESIGN.path) return colour();
  const code = readFileSync('src/todo.js', 'utf8');
  if (code.includes('toData')) return { ...jot(), acceptance: shownBy('CHANGES.md', 2) };
  writeFileSync(
    'src/todo.js',
    code.replace('    all: ', '    toData: () => items.map((item) => ({ ...item })),\n    all: '),
  );
  const main = readFileSync('src/main.js', 'utf8');
  const [start = '', rest = ''] = main.split('for (const');
  writeFileSync(
    'src/main.js',
    `${start}if (process.argv.includes('--json')) {\n  console.log(JSON.stringify(list.toData()));\n  process.exit(0);\n}\nfor (const${rest}`,
  );
  appendFileSync(
    'test/todo.test.js',
    "\ntest('answers with plain data', () => {\n  assert.deepEqual(createList().add('a').toData(), [{ title: 'a', done: false }]);\n});\n",
  );
  return {
    pr_title: 'Show the list as JSON',
    pr_summary: '`toData()` answers with plain objects, and `--json` prints them.',
    commit_message: 'feat: show the list as JSON',
    state_summary: 'Implemented the design, with a test.',
    acceptance: shownBy('test/todo.test.js', 2),
  };
}

function colour(): object {
  writeFileSync(
    'src/colour.js',
    "export const colour = (title, done) => (done ? '\\u001b[32m' + title + '\\u001b[0m' : title);\n",
  );
  const main = readFileSync('src/main.js', 'utf8');
  writeFileSync(
    'src/main.js',
    `import { colour } from './colour.js';\n${main.replace("' ', title)", "' ', colour(title, done))")}`,
  );
  writeFileSync(
    'test/colour.test.js',
    [
      "import assert from 'node:assert/strict';",
      "import test from 'node:test';",
      "import { colour } from '../src/colour.js';",
      '',
      "test('prints finished items in green', () => {",
      "  assert.equal(colour('a', true), '\\u001b[32ma\\u001b[0m');",
      "  assert.equal(colour('a', false), 'a');",
      '});',
      '',
    ].join('\n'),
  );
  return {
    pr_title: 'Colour finished items',
    pr_summary: 'Finished items are printed in green, open ones as before.',
    commit_message: 'feat: print finished items in green',
    state_summary: 'Implemented the design, with a test.',
    acceptance: shownBy('test/colour.test.js', 1),
  };
}

function shownBy(path: string, criteria: number): object[] {
  return Array.from({ length: criteria }, (_, index) => ({ criterion: index + 1, shown_by: [path] }));
}

/** A check that failed: its log says what is missing. */
function mend(): object {
  appendFileSync('README.md', '\nFor scripts:\n\n    node src/main.js list --json\n');
  return {
    review_replies: [],
    general_comment: 'The check wants every flag in the README. `--json` is there now.',
    commit_message: 'docs: name the flag in the README',
    state_summary: 'Named the flag in the README, as the check asked.',
    blocked_reason: null,
    flaky: null,
  };
}

function clear(): object {
  const path = 'src/todo.js';
  if (existsSync(path)) {
    const code = readFileSync(path, 'utf8');
    writeFileSync(path, code.replace('    all: ', '    clear: () => createList(),\n    all: '));
    appendFileSync(
      'test/todo.test.js',
      "\ntest('a cleared list is empty', () => {\n  assert.deepEqual(createList().add('a').clear().all(), []);\n});\n",
    );
  }
  return {
    pr_title: 'Let a list be cleared',
    pr_summary:
      '`clear()` answers with an empty list, as everything here answers with a new one. With a test.',
    commit_message: 'feat: let a list be cleared',
    state_summary: 'Added clear(), with a test.',
  };
}

/** For issues that the script does not know: without a model this is all. */
function jot(): object {
  const title = firstLine(turn.issue.title);
  note([title]);
  return {
    pr_title: title,
    pr_summary: 'A scripted agent wrote the wish down in `CHANGES.md`. A real one would do it.',
    commit_message: `docs: ${title}`,
    state_summary: 'Wrote the wish down.',
  };
}

/** Questions get an answer, wishes get an answer and a commit. */
function answer(): object {
  const events: Event[] = turn.new_events.filter((event: Event) => event.kind !== 'signal');
  if (events.every((event) => event.kind === 'ci')) return mend();
  const wishes = events.filter(({ body }) => !body.trim().endsWith('?'));
  if (wishes.length > 0) note(wishes.map(({ body }) => firstLine(body)));
  const reply = ({ body }: Event): string =>
    body.trim().endsWith('?')
      ? (ANSWERS[body.trim()] ?? `A scripted agent cannot tell. A real one would answer "${firstLine(body)}"`)
      : `Done: "${firstLine(body)}" is part of it now.`;
  const inline = events.filter((event) => event.kind === 'review');
  const rest = events.filter((event) => event.kind !== 'review');
  return {
    review_replies: inline.map((event) => ({ review_comment_id: event.id, body: reply(event) })),
    general_comment: rest.length === 0 ? null : rest.map(reply).join('\n\n'),
    commit_message: wishes.length === 0 ? null : 'docs: take in what the review asked for',
    state_summary: `Answered ${countOf(events.length, 'comment')}.`,
    blocked_reason: null,
    flaky: null,
  };
}

function note(lines: readonly string[]): void {
  const path = kind === 'design_feedback' ? turn.task_context.design_doc_path : 'CHANGES.md';
  const heading = '\n## From the review\n\n';
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '# Changes\n';
  const bullets = lines.map((line) => `- ${line}\n`).join('');
  const at = before.includes(heading) ? before : `${before.trimEnd()}\n${heading}`;
  writeFileSync(path, `${at.trimEnd()}\n${at.endsWith(heading) ? '\n' : ''}${bullets}`);
}

function firstLine(body: string): string {
  return (body.trim().split('\n')[0] ?? '').slice(0, 120);
}
