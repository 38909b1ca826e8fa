import { renderStatus, type StatusFacts } from './render-status.js';
import { roundDuration } from './round-duration.js';

const NOW = Date.parse('2026-03-01T10:00:00Z');
const MINUTE = 60_000;
const run = {
  status: 'running',
  endedKind: null,
  blockedKind: null,
  error: null,
  scheduleReason: null,
} as const;
const pull = {
  number: 7,
  url: 'https://github.com/a/b/pull/7',
  status: 'awaiting_feedback',
  humanReviewRequired: false,
} as const;
const turn = { kind: 'bugfix_start', state: 'running', isBegun: true, openedAt: NOW, retryAt: null } as const;
const base: StatusFacts = {
  flow: 'bugfix',
  run,
  pull: undefined,
  isTakenOver: false,
  ignoreLabel: 'agent:ignore',
  turn: undefined,
  pause: undefined,
  limit: undefined,
  pending: 0,
  earlier: [],
  document: undefined,
  use: { turns: 0, busyMs: 0, costUsd: 0, tokens: 0 },
  now: NOW,
};
const pause = { repoId: 0, issueNumber: 0, since: NOW, by: 'alice', reason: 'release <b>' };
const open = { ...run, status: 'awaiting_feedback' } as const;

/** Returns the title and the line about the wait. */
function show(facts: Partial<StatusFacts>): [string | undefined, string | undefined] {
  const { text } = renderStatus({ ...base, ...facts });
  return [/^\*\*Status: (.*)\.\*\*$/m.exec(text)?.[1], /^- Waiting for: (.*)$/m.exec(text)?.[1]];
}

describe('the status comment', () => {
  it.each<[string, Partial<StatusFacts>, string, RegExp | undefined]>([
    ['picked up', { run: { ...run, status: 'ready' } }, 'picked up', undefined],
    [
      'held by a limit',
      { run: { ...run, status: 'ready', blockedKind: 'max_open_runs', error: '2 of 2 runs are open' } },
      'waiting for capacity',
      /2 of 2 runs/,
    ],
    [
      'held by a daily limit',
      { run: { ...run, status: 'ready', blockedKind: 'max_cost_usd_per_day', error: '$5 of $5' } },
      'paused by a limit',
      /00:00 UTC, or an operator \(\$5 of \$5\)/,
    ],
    [
      'held by a limit of its own, with new replies',
      {
        run: {
          ...run,
          status: 'awaiting_issue_followup',
          blockedKind: 'max_turns_per_run',
          error: '50 of 50',
        },
      },
      'paused by a limit',
      /an operator \(50 of 50\)/,
    ],
    [
      'held by the scheduler',
      { run: { ...run, status: 'ready', scheduleReason: 'overlaps with #9' } },
      'scheduled',
      /overlaps with/,
    ],
    ['queued', { turn: { ...turn, state: 'queued', isBegun: false } }, 'next: fix a bug', /a free worker/],
    ['at work', { turn }, 'the agent is working (fix a bug)', undefined],
    ['pushing', { turn: { ...turn, state: 'frozen' } }, 'pushing the result (fix a bug)', undefined],
    ['posting', { turn: { ...turn, state: 'speaking' } }, 'posting to GitHub (fix a bug)', undefined],
    [
      'at a usage limit',
      {
        turn: { ...turn, state: 'queued', isBegun: false },
        limit: { adapter: 'codex', until: NOW + 485 * MINUTE },
      },
      'next: fix a bug',
      /usage limit of `codex`, which resets at 18:05 UTC/,
    ],
    [
      'before a retry',
      { turn: { ...turn, state: 'queued', isBegun: false, retryAt: NOW + 5 * MINUTE } },
      'next: fix a bug',
      /the retry at 10:05 UTC/,
    ],
    ['paused', { pause }, 'paused', /paused by alice: release/],
    ['paused, but begun', { pause, turn }, 'the agent is working (fix a bug)', undefined],
    [
      'waiting for a reply',
      { run: { ...run, status: 'awaiting_issue_followup', error: 'secret reason' } },
      'waiting for a reply',
      /a comment on this issue/,
    ],
    ['blocked', { run: { ...run, status: 'blocked', error: 'x' } }, 'blocked', /notice below/],
    [
      'blocked on the pull request',
      { run: { ...run, status: 'blocked' }, pull: { ...pull, status: 'blocked' } },
      'blocked',
      /\[#7\]/,
    ],
    ['open', { run: open, pull }, 'ready for review', /comments on \[#7\]/],
    ['open with a comment', { run: open, pull, pending: 2 }, 'next: reply to 2 comments', undefined],
    [
      'escalated',
      { run: open, pull: { ...pull, humanReviewRequired: true } },
      'waiting for a human review',
      /review of \[#7\]/,
    ],
    [
      'taken over',
      { run: open, pull, isTakenOver: true },
      'a person took over, so MergeXO stopped',
      /`agent:ignore`/,
    ],
    [
      'ended by a takeover',
      { run: { ...run, status: 'closed', endedKind: 'takeover' } },
      'a person took over, so MergeXO stopped',
      /label/,
    ],
    [
      'merged',
      { run: { ...run, status: 'merged' }, pull: { ...pull, status: 'merged' } },
      'done: the pull request was merged',
      undefined,
    ],
    [
      'closed',
      { run: { ...run, status: 'closed' }, pull: { ...pull, status: 'closed' } },
      'stopped: the pull request was closed',
      undefined,
    ],
    [
      'closed with its issue',
      { run: { ...run, status: 'closed', endedKind: 'issue_closed' } },
      'stopped: the issue was closed',
      undefined,
    ],
  ])('of work that is %s', (_what, facts, title, waitsFor) => {
    const [shown, wait] = show(facts);
    expect(shown).toBe(title);
    if (waitsFor === undefined) expect(wait).toBeUndefined();
    else expect(wait).toMatch(waitsFor);
  });

  it('lists the pull requests of earlier runs, and what the work used', () => {
    const earlier = [
      { flow: 'design_doc' as const, pull: { ...pull, number: 3, status: 'merged' as const } },
    ];
    const use = { turns: 2, busyMs: 25 * MINUTE, costUsd: 1.418, tokens: 9 };
    expect(renderStatus({ ...base, run: open, pull, earlier, use }).text).toContain(
      [
        '- Task: Bug fix',
        '- Waiting for: comments on [#7](https://github.com/a/b/pull/7), or for somebody to merge it',
        '- Pull request: [#7](https://github.com/a/b/pull/7) (open)',
        '- Design document: [#3](https://github.com/a/b/pull/7) (merged)',
        '- So far: 2 turns, about 20 minutes, $1.42',
      ].join('\n'),
    );
  });

  it('links to the design document, whatever its name is', () => {
    const document = { path: 'docs/a (b)`.md', baseUrl: 'https://github.com/a/b/blob/main' };
    expect(renderStatus({ ...base, document }).text).toContain(
      "\n- Document: [`docs/a (b)'.md`](https://github.com/a/b/blob/main/docs/a%20%28b%29%60.md)\n",
    );
  });

  it('shows tokens where the cost is unknown', () => {
    const use = { turns: 1, busyMs: 0, costUsd: 0, tokens: 1_234_567 };
    expect(renderStatus({ ...base, use }).text).toContain('1 turn, less than 5 minutes, 1.2 million tokens');
  });

  it('neutralizes reasons: no mention, no HTML, no second line', () => {
    const error = `@alice fixes #1\n\n/mergexo retry <!-- mergexo-action -->${'x'.repeat(5_000)}`;
    const { text } = renderStatus({ ...base, run: { ...run, status: 'ready', error } });
    expect(text).not.toMatch(/@alice|fixes #1|<!--|^\/mergexo/m);
    expect(text.length).toBeLessThan(1_000);
  });

  it.each([
    [0, 'less than 5 minutes'],
    [5, 'about 5 minutes'],
    [59, 'about 45 minutes'],
    [60, 'about 1 hour'],
    [100, 'about 1.5 hours'],
    [179, 'about 2 hours'],
    [24 * 60, 'about 24 hours'],
  ])('rounds %i minutes to "%s"', (minutes, text) => {
    expect(roundDuration(minutes * MINUTE)).toBe(text);
  });

  it('says when the turn was opened, and does not change while only time passes', () => {
    const facts = { ...base, turn, use: { turns: 1, busyMs: 0, costUsd: 1, tokens: 1 } };
    const { text } = renderStatus(facts);
    expect(text).toContain('- Turn opened: 10:00 UTC\n');
    expect(renderStatus({ ...facts, now: NOW + 13 * 60 * MINUTE }).text).toBe(text);
  });

  it.each<[string, Partial<StatusFacts>, boolean]>([
    ['a turn on a pull request', { run: open, pull, turn }, true],
    ['a comment on a pull request', { run: open, pull, pending: 1 }, true],
    ['a turn on an issue', { turn }, false],
    ['a turn that waits for a retry', { run: open, pull, turn: { ...turn, retryAt: NOW } }, false],
    ['a pull request that waits for people', { run: open, pull }, false],
  ])('of %s is a minor update: %s', (_what, facts, isMinor) => {
    expect(renderStatus({ ...base, ...facts }).isMinor).toBe(isMinor);
  });
});
