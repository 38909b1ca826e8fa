import { decideIntake, findDistrust, type Intake, type IssueFacts } from './decide-intake.js';

const rules = {
  labels: {
    design: 'agent:design',
    bugfix: 'agent:bugfix',
    smallJob: 'agent:small-job',
    ignore: 'agent:ignore',
  },
  allowedUsers: ['Alice'],
};
const alice = { id: 1, login: 'alice', type: 'User' };
const issue = (overrides: Partial<IssueFacts> = {}): IssueFacts => ({
  number: 7,
  open: true,
  isPullRequest: false,
  author: alice,
  labels: ['agent:design'],
  ...overrides,
});
const decide = (facts: IssueFacts, more: Partial<Parameters<typeof decideIntake>[1]> = {}): Intake =>
  decideIntake(facts, { rules, command: undefined, earlier: [], ...more });

describe('decideIntake', () => {
  it.each<[string[], Intake]>([
    [['agent:design'], { kind: 'start', flow: 'design_doc' }],
    [['Agent:Design'], { kind: 'start', flow: 'design_doc' }],
    [['agent:design', 'agent:small-job'], { kind: 'start', flow: 'small_job' }],
    [['agent:design', 'agent:small-job', 'agent:bugfix'], { kind: 'start', flow: 'bugfix' }],
    [['question'], { kind: 'none' }],
    [[], { kind: 'none' }],
    [
      ['agent:bugfix', 'agent:ignore'],
      {
        kind: 'skip',
        flow: 'bugfix',
        reason: 'the label agent:ignore reserves the issue for people',
        cause: 'other',
      },
    ],
  ])('with the labels %j, decides %j', (labels, expected) =>
    expect(decide(issue({ labels }))).toEqual(expected),
  );

  it.each<[string, IssueFacts, string, 'author' | 'other']>([
    ['closed issues', issue({ open: false }), 'the issue is closed', 'other'],
    [
      'issues by people outside allowed_users',
      issue({ author: { ...alice, login: 'mallory' } }),
      "the issue's author mallory is not in allowed_users",
      'author',
    ],
    [
      'issues by bots',
      issue({ author: { id: 2, login: 'alice', type: 'Bot' } }),
      "the issue's author alice is a bot",
      'other',
    ],
  ])('skips %s and gives the reason', (_name, facts, reason, cause) =>
    expect(decide(facts)).toEqual({ kind: 'skip', flow: 'design_doc', reason, cause }),
  );

  it('does not treat a pull request as an issue', () => {
    expect(decide(issue({ isPullRequest: true }))).toEqual({ kind: 'none' });
  });

  it('does not start a run next to a live run of any flow', () => {
    const earlier = [{ flow: 'bugfix', live: true, status: 'running' }] as const;
    expect(decide(issue(), { earlier })).toMatchObject({
      kind: 'skip',
      reason: 'this issue already has a run (Bug fix: in progress)',
    });
    expect(decide(issue(), { earlier, command: 'design_doc' })).toMatchObject({ kind: 'skip' });
    expect(decide(issue({ labels: ['agent:bugfix'] }), { earlier })).toEqual({ kind: 'none' });
  });

  it('does not start a flow again because of the same label, but starts it again after a command', () => {
    const earlier = [{ flow: 'design_doc', live: false, status: 'merged' }] as const;
    expect(decide(issue(), { earlier })).toMatchObject({
      kind: 'skip',
      reason: 'this issue already had a run of the same type (Design document: merged)',
    });
    expect(decide(issue(), { earlier, command: 'design_doc' })).toEqual({
      kind: 'start',
      flow: 'design_doc',
    });
    expect(decide(issue({ labels: ['agent:bugfix'] }), { earlier })).toEqual({
      kind: 'start',
      flow: 'bugfix',
    });
  });
});

describe('findDistrust', () => {
  it.each([
    [alice, undefined],
    [{ ...alice, login: 'ALICE' }, undefined],
    [
      { ...alice, login: 'a1ice' },
      { code: 'not_allowed', login: 'a1ice' },
    ],
    [
      { ...alice, login: 'alice[bot]' },
      { code: 'bot', login: 'alice[bot]' },
    ],
    [
      { id: 0, login: 'ghost', type: 'User' },
      { code: 'not_allowed', login: 'ghost' },
    ],
  ])('for the account %j, returns %j', (account, expected) =>
    expect(findDistrust(account, rules.allowedUsers)).toEqual(expected),
  );
});
