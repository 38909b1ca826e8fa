import { parseIssueParams } from './parse-issue-params.js';

describe('parseIssueParams', () => {
  it.each([
    ['ada', 'engine', '7', { repo: 'ada/engine', number: 7 }],
    ['a.b-c', '.github', '123456789', { repo: 'a.b-c/.github', number: 123_456_789 }],
    ['..', 'engine', '7', undefined],
    ['ada', '.', '7', undefined],
    ['ada', '../../etc/passwd', '7', undefined],
    ['ada', 'engine', '0', undefined],
    ['ada', 'engine', '7e3', undefined],
    ['ada', 'engine', '1234567890', undefined],
    ['ada', "x' or 1=1", '7', undefined],
    ['ada\n', 'engine', '7', undefined],
    ['', 'engine', '7', undefined],
  ])('parses the owner %j, the name %j and the number %j', (owner, name, number, expected) => {
    expect(parseIssueParams({ owner, name, number })).toEqual(expected);
  });
});
