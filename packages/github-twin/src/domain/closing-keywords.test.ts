import { findClosedIssues } from './closing-keywords.js';

describe('closing keywords', () => {
  it.each([
    ['Fixes #1', [1]],
    ['fix #1, closes #2 and RESOLVED: #3', [1, 2, 3]],
    ['Fixes #1, #2', [1]],
    ['Closes acme/app#4', [4]],
    ['Closes other/app#4', []],
    ['resolves https://github.com/acme/app/issues/5', [5]],
    ['Refs #1, prefixes #2', []],
    ['`Fixes #1` and <!-- Fixes #2 -->', []],
    ['```\nFixes #1\n```\nFixes #3', [3]],
    ['<!-- open Fixes #1', []],
    ['```\nopen\n\nFixes #1', []],
    ['~~~\nopen\n\nFixes #1', []],
    ['````\n```\nFixes #1', []],
    ['- ```\n  code in a list\n\nFixes #3', [3]],
    ['> ```\n> code in a quote\n\nFixes #3', [3]],
    ['text\n\n    Fixes #1', []],
    ['<pre>\n\nFixes #1', []],
    ['<details>\n\nFixes #1\n\n</details>', [1]],
    ['<div title="\n\nFixes #1', []],
    ['- Fixes #1\n- **closes #2**', [1, 2]],
    ['a ``` b\n\nFixes #3', [3]],
    ['Fixes #1 fixes #1', [1]],
  ])('in %j close the issues %j', (text, expected) => {
    expect(findClosedIssues(text, 'acme/app')).toEqual(expected);
  });
});
