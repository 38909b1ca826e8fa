import { describeEvent } from './describe-event.js';
import { EVENT_NAMES } from './runtime-event.js';

describe('describeEvent', () => {
  it.each<[string, object, string, string]>([
    ['turn_opened', { kind: 'bugfix_start', epoch: 0, attempt: 0 }, 'Turn opened', 'kind=Fix a bug'],
    [
      'turn_begun',
      { kind: 'bugfix_start', epoch: 2, attempt: 1, worker: 'w', crashes: 0 },
      'A worker started the turn',
      'worker=w',
    ],
    [
      'turn_begun',
      { kind: 'bugfix_start', attempt: 2, crashes: 1 },
      'A worker started the turn',
      'attempt=2 crashes=1',
    ],
    [
      'hosts_refused',
      { hosts: ['evil.test:443', '[redacted].test:80'] },
      'The network policy blocked connections',
      'hosts=evil.test:443, [redacted].test:80',
    ],
    ['pull_blocked', { kind: 'history_rewritten' }, 'Pull request blocked', 'kind=history rewritten'],
    ['takeover', { taken_over: true }, 'A person took over', ''],
    ['takeover', { taken_over: false }, 'A person handed the work back', ''],
    ['something_new', { a_b: null, c: '', d: [1, 'x'], e: {} }, 'something new', 'd=1, x'],
  ])('describes %s with the payload %j as %j with the details %j', (type, payload, name, details) => {
    const told = describeEvent(type, payload);
    expect(told.name).toBe(name);
    expect(told.details.map(({ key, value }) => `${key}=${value}`).join(' ')).toBe(details);
  });

  it('cuts long values', () => {
    const [detail] = describeEvent('run_created', { reason: 'x'.repeat(1_000) }).details;
    expect(detail?.value).toHaveLength(402);
  });

  it.each<[string, unknown, string]>([
    ['a list of records', [{ path: 'a.js', line: 6 }, { path: 'b.js' }], '2'],
    ['a time', '2026-11-17T04:25:47.123Z', '2026-11-17 04:25:47Z'],
    ['a commit', 'head:0123456789abcdef0123456789abcdef01234567', 'head:0123456789ab'],
    ['Markdown', '**Blocked.** See [the log](https://example.test)', 'Blocked. See the log'],
    ['a flag', true, 'yes'],
  ])('shows %s without JSON, raw times or Markdown', (_name, value, text) => {
    expect(describeEvent('work_rejected', { fact: value }).details).toEqual([{ key: 'fact', value: text }]);
  });

  it('shows milliseconds as a time', () => {
    const payload = { not_before: Date.UTC(2026, 10, 17, 4, 25, 47), sends: 2 };
    expect(describeEvent('turn_failed', payload).details).toEqual([
      { key: 'not before', value: '2026-11-17 04:25:47Z' },
      { key: 'sends', value: '2' },
    ]);
    expect(describeEvent('turn_failed', { not_before: 1e300 }).details).toMatchObject([{ value: '1e+300' }]);
  });

  it('omits nested records, which only --json shows', () => {
    expect(describeEvent('review_fix_created', { metadata: { pr_number: 6 }, round_id: 2 }).details).toEqual(
      [],
    );
  });

  it('has a name for every type', () => {
    for (const type of Object.keys(EVENT_NAMES)) expect(describeEvent(type, {}).name).toMatch(/^[A-Z][^_]+$/);
  });
});
