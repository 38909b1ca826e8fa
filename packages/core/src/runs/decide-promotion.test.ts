import { decidePromotion, explainUnfitIssue, readLabelPriority } from './decide-promotion.js';

const document = (...lines: string[]) => ['---', ...lines, '---', '', '# A plan', ''].join('\n');

describe('a merged design document', () => {
  it.each([
    ['it is our own', document('issue: 7', 'priority: 5', 'touch_paths: [src/a.ts]'), 7, 7],
    ['it is our own, even if its frontmatter names another issue', document('issue: 9'), 7, 7],
    ['it is our own, even if its frontmatter is broken', document('issue: [', 'priority: 5'), 7, 7],
    ['it is our own, even if its frontmatter was removed', '# A plan\n', 7, 7],
    ['a person wrote it and its frontmatter names an issue', document('issue: 9'), null, 9],
  ])('is promoted if %s', (_name, text, own, issueNumber) => {
    expect(decidePromotion(text, own)).toMatchObject({ kind: 'promote', issueNumber });
  });

  it('is not promoted if it is already implemented', () => {
    expect(decidePromotion(document('issue: 7', 'status: implemented'), 7)).toEqual({
      kind: 'implemented',
      reason: expect.stringMatching(/status: implemented/),
    });
  });

  it.each([
    ['a person wrote it without frontmatter', '# A plan\n', null, /no frontmatter/],
    ['a person wrote it with broken frontmatter', document('issue: x'), null, /is invalid/],
  ])('is not promoted if %s', (_name, text, own, reason) => {
    expect(decidePromotion(text, own)).toEqual({ kind: 'skip', reason: expect.stringMatching(reason) });
  });
});

describe('the issue that a document names', () => {
  const rules = { allowedUsers: ['ada'], ignoreLabel: 'agent:ignore' };
  const issue = {
    open: true,
    isPullRequest: false,
    author: { id: 1, login: 'ada', type: 'User' },
    labels: [],
  };
  it.each([
    [{}, undefined],
    [{ open: false }, /closed/],
    [{ isPullRequest: true }, /pull request/],
    [{ labels: ['Agent:Ignore'] }, /reserves its issue/],
    [{ author: { id: 2, login: 'mallory', type: 'User' } }, /not in allowed_users/],
  ])('given %j, is rejected with the reason %s (undefined if accepted)', (change, reason) => {
    const said = explainUnfitIssue({ ...issue, ...change }, rules);
    if (reason === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(reason);
  });
});

it.each([
  [[], null],
  [['priority:4'], 4],
  [['Priority: 2', 'bug'], 2],
  [['priority:1', 'priority:5'], 5],
  [['priority:9', 'priority:0', 'xpriority:3'], null],
])('labels %j give the priority %s', (labels, priority) => {
  expect(readLabelPriority(labels)).toBe(priority);
});
