import { decidePromotion, explainUnfitIssue, readLabelPriority } from './decide-promotion.js';

const document = (...lines: string[]) => ['---', ...lines, '---', '', '# A plan', ''].join('\n');

describe('a merged design document', () => {
  it.each([
    ['ours', document('issue: 7', 'priority: 5', 'touch_paths: [src/a.ts]'), 7, 7],
    ['ours, though its frontmatter names another issue', document('issue: 9'), 7, 7],
    ['ours, though its frontmatter is broken', document('issue: [', 'priority: 5'), 7, 7],
    ['ours, though its frontmatter is gone', '# A plan\n', 7, 7],
    ['a person’s', document('issue: 9'), null, 9],
  ])('is promoted: %s', (_name, text, own, issueNumber) => {
    expect(decidePromotion(text, own)).toMatchObject({ kind: 'promote', issueNumber });
  });

  it('is not promoted: implemented already', () => {
    expect(decidePromotion(document('issue: 7', 'status: implemented'), 7)).toEqual({
      kind: 'implemented',
      reason: expect.stringMatching(/status: implemented/),
    });
  });

  it.each([
    ['a person’s without frontmatter', '# A plan\n', null, /no frontmatter/],
    ['a person’s with a broken one', document('issue: x'), null, /is invalid/],
  ])('is not promoted: %s', (_name, text, own, reason) => {
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
  ])('%j → %s', (change, reason) => {
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
])('the labels %j give priority %s', (labels, priority) => {
  expect(readLabelPriority(labels)).toBe(priority);
});
