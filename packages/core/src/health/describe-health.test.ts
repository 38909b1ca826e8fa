import { describeHealth, formatSince } from './describe-health.js';
import type { HealthReport } from './health.js';

const NOW = Date.parse('2026-11-17T10:10:00Z');
const AT_1004 = Date.parse('2026-11-17T10:04:00Z');

const report = (given: Partial<HealthReport>): HealthReport => ({
  subject: 'poller',
  code: 'ok',
  since: AT_1004,
  checkedAt: NOW - 1_000,
  okAt: NOW - 1_000,
  detail: null,
  ...given,
});
const alive = report({});
const judge = (...reports: HealthReport[]) =>
  describeHealth(reports, { now: NOW, repos: [{ id: 7, name: 'ada/engine' }], pollIntervalMs: 30_000 });
const messages = (...reports: HealthReport[]): string[] =>
  judge(...reports).problems.map(({ message }) => message);

describe('describeHealth', () => {
  it('reports no problem for a running poller, and gives the last complete poll', () => {
    const health = judge(
      alive,
      report({ subject: 'github' }),
      report({ subject: 'repo/7', okAt: NOW - 5_000 }),
    );
    expect(health).toEqual({
      pollerRuns: true,
      countsWorkers: true,
      problems: [],
      warnings: [],
      polls: [{ repo: 'ada/engine', lastCompleteAt: NOW - 5_000 }],
      webhook: undefined,
    });
  });

  const hook = (given: Partial<HealthReport>) => report({ subject: 'webhook', okAt: AT_1004, ...given });
  it.each([
    ['works', [alive, hook({})], { delivering: true, lastDeliveryAt: AT_1004 }],
    ['gets no deliveries', [alive, hook({ code: 'quiet' })], { delivering: false, lastDeliveryAt: AT_1004 }],
    ['is no longer configured', [alive, hook({ checkedAt: AT_1004 })], undefined],
    ['belongs to a dead poller', [report({ code: 'stopped' }), hook({})], undefined],
  ])('describes a webhook that %s', (_what, reports, webhook) => {
    expect(judge(...reports).webhook).toEqual(webhook);
    expect(judge(...reports).warnings).toEqual([]);
  });

  it('warns of a webhook that cannot listen, which does not stop the work', () => {
    const { webhook, warnings, problems } = judge(
      alive,
      hook({ code: 'failing', detail: 'cannot listen on 127.0.0.1:80 (webhook.listen): EACCES' }),
    );
    expect([webhook, problems]).toEqual([undefined, []]);
    expect(warnings).toMatchObject([
      {
        message:
          'Webhook not listening since 10:04 UTC: cannot listen on 127.0.0.1:80 (webhook.listen): EACCES',
        fix: expect.stringContaining('Choose another port'),
      },
    ]);
  });

  it.each<[string, HealthReport[], string]>([
    ['never ran', [], 'The poller has not run yet'],
    ['died', [report({ checkedAt: AT_1004 })], 'Poller not running since 10:04 UTC'],
    [
      'lacks its secret',
      [report({ code: 'secret-lost' })],
      'Poller not running since 10:04 UTC: its signing secret is missing or was replaced',
    ],
    ['was stopped', [report({ code: 'stopped' })], 'Poller not running since 10:04 UTC'],
    [
      'wrote before the clock was set back',
      [report({ checkedAt: NOW + 3_600_000 })],
      'Poller not running since 11:10 UTC',
    ],
  ])('reports a poller that %s, and does not count workers', (_what, reports, message) => {
    const { pollerRuns, countsWorkers, problems } = judge(
      ...reports,
      report({ subject: 'github', code: 'token-rejected' }),
    );
    expect([pollerRuns, countsWorkers, problems.map((problem) => problem.message)]).toEqual([
      false,
      false,
      [message],
    ]);
  });

  it.each<[string, Partial<HealthReport>, string[]]>([
    [
      'a rejected token',
      { subject: 'github', code: 'token-rejected' },
      ['GitHub has rejected the token since 10:04 UTC'],
    ],
    [
      'a missing login',
      { subject: 'github', code: 'no-login' },
      ['MergeXO has had no GitHub credentials since 10:04 UTC'],
    ],
    [
      'a GitHub outage that lasts for a poll interval',
      { subject: 'github', code: 'unreachable', since: NOW - 30_000 },
      ['GitHub not responding since 10:09 UTC'],
    ],
    [
      'no problem during a short GitHub outage',
      { subject: 'github', code: 'unreachable', since: NOW - 20_000 },
      [],
    ],
    [
      'that Redis does not respond',
      { subject: 'redis', code: 'unreachable' },
      ['Redis not responding since 10:04 UTC'],
    ],
    ['no problem while Redis restarts', { subject: 'redis', code: 'unreachable', since: NOW - 1_000 }, []],
    [
      'a repository that the login cannot read',
      { subject: 'repo/7', code: 'refused', detail: 'GitHub forbids it' },
      ['GitHub has refused access to ada/engine since 10:04 UTC: GitHub forbids it'],
    ],
    [
      'a repository whose polls have failed for minutes, with the time of its last complete poll',
      { subject: 'repo/7', code: 'failing', okAt: AT_1004 - 60_000, detail: 'bad answer' },
      ['ada/engine not polled completely since 10:03 UTC: bad answer'],
    ],
    [
      'a poll that hangs',
      { subject: 'repo/7', checkedAt: AT_1004 },
      ['ada/engine not polled since 10:04 UTC'],
    ],
    [
      'no problem during a pause that GitHub requested',
      { subject: 'repo/7', code: 'paused', checkedAt: AT_1004 },
      [],
    ],
    ['a rejected token once, not per repository', { subject: 'repo/7', code: 'token-rejected' }, []],
    ['nothing about a repository that is no longer configured', { subject: 'repo/8', code: 'refused' }, []],
  ])('reports %s', (_what, given, expected) => {
    expect(messages(alive, report(given))).toEqual(expected);
  });

  it('does not count workers while Redis is down', () => {
    expect(judge(alive, report({ subject: 'redis', code: 'unreachable' })).countsWorkers).toBe(false);
  });

  it('reports a lost secret even while no poller runs, and names the command', () => {
    const lost = report({ subject: 'repo/7', code: 'secret-lost' });
    for (const poller of [alive, report({ code: 'stopped' })]) {
      const problem = judge(poller, lost).problems.at(-1);
      expect(problem?.message).toContain('ada/engine paused since 10:04 UTC');
      expect(problem?.fix).toContain('npx mergexo adopt --repo ada/engine');
    }
  });

  it('adds the date to a time unless the date is today', () => {
    expect(formatSince(NOW - 86_400_000, NOW)).toBe('2026-11-16 10:10 UTC');
  });
});
