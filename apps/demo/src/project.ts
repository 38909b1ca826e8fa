/** A small real project: its tests really run on what the agent commits. */
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
    "test('counts what is done', () => {",
    "  assert.equal(createList().add('a').add('b').finish(0).progress(), 50);",
    '});',
    '',
  ].join('\n'),
  'test.sh': '#!/bin/sh\nexec node --test\n',
};

export const DESIGN_ISSUE = {
  title: 'Show the list as JSON',
  body: 'Scripts cannot read the list.\n\n## Acceptance criteria\n\n- `list --json` prints all items as JSON.\n- Without the flag nothing changes.\n',
};

export const BUG_ISSUE = {
  title: 'Progress of an empty list is NaN',
  body: '`createList().progress()` answers NaN. It should answer 100: nothing is left to do.\n',
};

/** Too little to begin with: the agent has to ask. */
export const QUESTION_ISSUE = {
  title: 'Print the list as a table',
  body: 'For a spreadsheet, as a table with separators.\n',
};

/** A design that a person wrote; it touches what the first one touches. */
export const OWN_DESIGN = {
  issue: { title: 'Colour finished items', body: 'Green is for done.\n' },
  path: 'docs/design/colours.md',
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
      '# Colour finished items',
      '',
      '## Acceptance criteria',
      '',
      '- Finished items are green.',
      '',
    ].join('\n'),
};

/** Its pull request is left to the visitor. */
export const VISITOR_ISSUE = {
  title: 'Let a list be cleared',
  body: 'After a finished week I want to begin with an empty list: `createList(…).clear()`.\n',
};
