import { isAdoptable } from './legacy-failures.js';

describe('failed runs of earlier versions', () => {
  it.each([
    ['agent blocked: which database is meant?', true],
    ['The bugfix flow was blocked: the environment has no network', true],
    ['bugfix flow blocked before opening PR', true],
    ['required tests did not pass after 3 repairs', true],
    ['required pre-push tests failed', true],
    ['blocked_reason: cannot reach the API', true],
    ['new_issue_comments_pending', true],
    ['Segmentation fault', false],
    ['git push was refused by a rule of the remote', false],
    ['the road is blocked', false],
    ['', false],
    [null, false],
  ])('with the error %j can be revived: %s', (error, expected) => {
    expect(isAdoptable({ status: 'failed', prNumber: null, error })).toBe(expected);
  });

  it('cannot be revived if they have a pull request or did not fail', () => {
    const error = 'agent blocked: why?';
    expect(isAdoptable({ status: 'failed', prNumber: 3, error })).toBe(false);
    expect(isAdoptable({ status: 'closed', prNumber: null, error })).toBe(false);
  });
});
