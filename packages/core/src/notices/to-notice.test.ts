import { NOTICE_EVENTS, type NoticeEvent, toNotice } from './to-notice.js';

const anEvent = (type: string, payload: object, more: Partial<NoticeEvent> = {}): NoticeEvent => ({
  ...{
    id: 7,
    type,
    payload,
    createdAt: 5,
    repo: 'ada/engine',
    issueNumber: 3,
    prNumber: null,
    title: 'Fix it',
  },
  isReviewedByAi: false,
  ...more,
});
const told = (event: NoticeEvent) => toNotice(event, 'https://github.com');

describe('toNotice', () => {
  it.each<[string, object, string, string]>([
    [
      'run_waiting',
      { kind: 'agent_blocked', reason: 'secret plan' },
      'question',
      'The agent needs an answer',
    ],
    ['run_blocked', { kind: 'turn_failed' }, 'blocked', 'Blocked (turn failed)'],
    ['pull_blocked', { kind: 'history_rewritten' }, 'blocked', 'Blocked (history rewritten)'],
    ['run_parked', { limit: 'max_turns_per_run' }, 'blocked', 'Paused: limits.max_turns_per_run was reached'],
    ['pull_opened', {}, 'review', 'ready for your review'],
    ['work_approved', {}, 'review', 'The AI review approved'],
    ['max_fix_cycles_exceeded', {}, 'review', 'A person must review'],
    ['token_rejected', { code: 'no-login' }, 'token', 'no GitHub credentials'],
    ['token_rejected', { code: 'token-rejected' }, 'token', 'rejects its token'],
    [
      'budget_reached',
      { limit: 'max_tokens_per_day', percent: 80, used: 8_000_000, cap: 10_000_000 },
      'budget',
      '80 % of limits.max_tokens_per_day is used: 8,000,000 of 10,000,000',
    ],
    [
      'budget_reached',
      { limit: 'max_cost_usd_per_run', percent: 100, used: 10.5, cap: 10 },
      'budget',
      '$10.50 of $10.00. MergeXO starts no more work',
    ],
  ])('turns %s with %j into a %s notification', (type, payload, kind, text) => {
    const notice = told(anEvent(type, payload));
    expect(notice).toMatchObject({ id: 'event-7', kind, text: expect.stringContaining(text) });
    expect(JSON.stringify(notice)).not.toContain('secret plan');
    expect(NOTICE_EVENTS).toContain(type);
  });

  it.each<[string, object, Partial<NoticeEvent>]>([
    ['run_waiting', { kind: 'new_issue_comments_pending' }, {}],
    ['run_parked', { limit: 'max_open_prs' }, {}],
    ['run_parked', { limit: 'max_tokens_per_run' }, {}],
    ['pull_opened', {}, { isReviewedByAi: true }],
    ['budget_reached', { limit: 'x' }, {}],
    ['turn_opened', {}, {}],
  ])('sends no notification for %s with %j and %j', (type, payload, more) => {
    expect(told(anEvent(type, payload, more))).toBeUndefined();
  });

  it('links to the pull request if there is one, else to the issue', () => {
    expect(told(anEvent('run_blocked', {}))?.url).toBe('https://github.com/ada/engine/issues/3');
    const pull = told(anEvent('pull_blocked', {}, { prNumber: 9 }));
    expect(pull).toMatchObject({ number: 9, url: 'https://github.com/ada/engine/pull/9' });
    expect(told(anEvent('token_rejected', {}, { repo: null }))?.url).toBeNull();
  });
});
