import { findClosedIssue } from './find-closed-issue.js';

describe('findClosedIssue', () => {
  it.each([
    ['Fixes #12', 12],
    ['This one closes: #3 and more.', 3],
    ['resolved Acme/App#7', 7],
    ['Fixes other/app#7, fixes #8', 8],
    ['Refs #12', undefined],
    ['prefixes #12', undefined],
    ['fixes #12abc', undefined],
    ['fixes 12', undefined],
    ['', undefined],
  ])('reads %j', (body, expected) => {
    expect(findClosedIssue(body, 'acme/app')).toBe(expected);
  });
});
