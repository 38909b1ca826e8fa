import { describeLine, findReason, isReadyLine } from './describe-line.js';

const line = (facts: object): string =>
  JSON.stringify({ level: 'info', app: 'poller', repo_full_name: 'alice/app', issue_number: 7, ...facts });

describe('describeLine', () => {
  it.each([
    [
      { code: 'pull_opened', pr_number: 9, url: 'https://github.com/alice/app/pull/9' },
      'alice/app#7 (PR #9): pull request opened: https://github.com/alice/app/pull/9',
    ],
    [{ code: 'run_waiting', reason: 'which file?' }, 'alice/app#7: waiting for a reply: which file?'],
    [
      { code: 'turn_completed', kind: 'bugfix_start', seconds: 12.4 },
      'alice/app#7: finished bugfix start in 12 s',
    ],
    [
      { code: 'turn_completed', pr_number: 9, events: 2, seconds: 3 },
      'alice/app#7 (PR #9): answered 2 comments in 3 s',
    ],
    [
      { code: 'turn_completed', pr_number: 9, kind: 'review', events: 0, seconds: 3 },
      'alice/app#7 (PR #9): finished review in 3 s',
    ],
    [{ code: 'pull_blocked', pr_number: 9, reason: 'rewritten' }, 'alice/app#7 (PR #9): blocked: rewritten'],
    [{ code: 'pull_closed', status: 'merged' }, 'alice/app#7: merged'],
    [
      { code: 'worker_heartbeat_timeout', worker: 'w1', turns: 0 },
      'alice/app#7: worker w1 stopped responding',
    ],
    [
      { code: 'worker_heartbeat_timeout', worker: 'w1', turns: 1 },
      'alice/app#7: worker w1 stopped responding; its turn is requeued',
    ],
  ])('renders %j', (facts, text) => {
    expect(describeLine(line(facts))).toEqual({ event: facts.code, text });
  });

  it('renders a limit that does not belong to an issue', () => {
    const until = '2026-01-02T03:04:05Z';
    const facts = { code: 'agent_limit_reached', adapter: 'codex', until, reason: 'used up' };
    expect(describeLine(JSON.stringify(facts))?.text).toBe(`codex is paused until ${until}: used up`);
  });

  it('renders every warning with its cause', () => {
    const facts = {
      level: 'warn',
      message: 'GitHub is not ready; trying again',
      err: { message: 'No login.' },
    };
    expect(describeLine(JSON.stringify(facts))).toEqual({
      event: 'warn',
      text: 'GitHub is not ready; trying again: No login.',
    });
  });

  it.each([
    '',
    'no JSON',
    '[1]',
    'null',
    '{}',
    '{"code":"turn_queued","level":"info"}',
    '{"code":"constructor"}',
    '{"message":"pull_opened","level":"info"}',
  ])('prints nothing for %j', (text) => {
    expect(describeLine(text)).toBeUndefined();
  });
});

describe('isReadyLine', () => {
  it.each([
    [true, '{"code":"program_ready","message":"poller is ready"}'],
    [false, '{"message":"poller is ready"}'],
    [false, 'poller is ready'],
  ])('returns %s for %s', (expected, text) => {
    expect(isReadyLine(text)).toBe(expected);
  });
});

describe('findReason', () => {
  it.each([
    [['{"level":"info"}', 'mergexo dashboard: The port is busy.', ''], 'The port is busy.'],
    [
      [
        'file:///x.js:3',
        '  throw',
        '',
        'TypeError: x is not a function',
        '    at y (z.js:1)',
        '',
        'Node.js v20',
      ],
      'TypeError: x is not a function',
    ],
    [['', 'Segmentation fault', ''], 'Segmentation fault'],
    [['{"level":"info","pid":7}'], undefined],
    [[], undefined],
  ])('finds the reason for the exit in %j', (lines, reason) => {
    expect(findReason(lines)).toBe(reason);
  });
});
