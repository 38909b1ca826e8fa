/** A small but real project. Its tests run on every commit of the agent. */
export const PROJECT: Readonly<Record<string, string>> = {
  'README.md': '# todo\n\nA list of things to do, on the command line.\n\n    node src/main.js list\n',
  'package.json':
    '{ "name": "todo", "version": "1.0.0", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/todo.js': [
    'export function createList(items = []) {',
    '  return {',
    '    add: (title) => createList([...items, { title, done: false }]),',
    '    finish: (index) => createList(items.map((item, i) => (i === index ? { ...item, done: true } : item))),',
    '    open: () => items.filter((item) => !item.done),',
    '    progress: () => Math.round((items.filter((item) => item.done).length / items.length) * 100),',
    '    all: () => items,',
    '  };',
    '}',
    '',
  ].join('\n'),
  'src/main.js': [
    "import { createList } from './todo.js';",
    '',
    "const list = createList().add('Write the demo').add('Try it').finish(0);",
    "for (const { title, done } of list.all()) console.log(done ? 'x' : ' ', title);",
    "console.log(list.progress(), '%');",
    '',
  ].join('\n'),
  'test/todo.test.js': [
    "import assert from 'node:assert/strict';",
    "import test from 'node:test';",
    "import { createList } from '../src/todo.js';",
    '',
    "test('counts finished items', () => {",
    "  assert.equal(createList().add('a').add('b').finish(0).progress(), 50);",
    '});',
    '',
  ].join('\n'),
  'test.sh': '#!/bin/sh\nexec node --test\n',
};

export const DESIGN_ISSUE = {
  title: 'Show the list as JSON',
  body: 'Scripts cannot read the list.\n\n## Acceptance criteria\n\n- `list --json` prints all items as JSON.\n- Without the flag, the output does not change.\n',
};

export const BUG_ISSUE = {
  title: 'Progress of an empty list is NaN',
  body: '`createList().progress()` returns NaN. An empty list has nothing left to do, so it should return 100.\n',
};

/** Does not name the separator, so the agent has to ask. */
export const QUESTION_ISSUE = {
  title: 'Print the list as a table',
  body: 'Print the list as a table that a spreadsheet can import.\n',
};

/** A design written by a person. It touches the same file as the first design. */
export const OWN_DESIGN = {
  issue: { title: 'Color finished items', body: 'Print finished items in green.\n' },
  path: 'docs/design/colors.md',
  render: (issue: number): string =>
    [
      '---',
      `issue: ${issue}`,
      'priority: 2',
      'touch_paths:',
      '  - src/main.js',
      'estimated_size: S',
      '---',
      '',
      '# Color finished items',
      '',
      '## Acceptance criteria',
      '',
      '- Finished items are green.',
      '',
    ].join('\n'),
};

/** The visitor reviews this pull request. */
export const VISITOR_ISSUE = {
  title: 'Add a way to clear a list',
  body: 'At the end of the week I want to start with an empty list: `createList(…).clear()`.\n',
};
