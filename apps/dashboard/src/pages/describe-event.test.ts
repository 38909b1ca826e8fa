import { describeEvent, lookOf } from './describe-event.js';

describe('describeEvent', () => {
  it.each<[string, object, string, string]>([
    ['turn_opened', { kind: 'bugfix_start', epoch: 0, attempt: 0 }, 'A turn was opened', 'kind=bugfix_start'],
    [
      'turn_begun',
      { kind: 'bugfix_start', epoch: 2, attempt: 1, worker: 'w', crashes: 0 },
      'A worker began',
      'worker=w',
    ],
    ['turn_begun', { kind: 'bugfix_start', attempt: 2, crashes: 1 }, 'A worker began', 'attempt=2 crashes=1'],
    ['pull_blocked', { kind: 'history_rewritten' }, 'The pull request is blocked', 'kind=history_rewritten'],
    ['something_new', { a_b: null, c: '', d: [1] }, 'something new', 'd=[1]'],
  ])('%s %j: %s, %s', (type, payload, name, details) => {
    const told = describeEvent(type, payload);
    expect(told.name).toBe(name);
    expect(told.details.map(({ key, value }) => `${key}=${value}`).join(' ')).toBe(details);
  });

  it('cuts what is long', () => {
    const [detail] = describeEvent('run_created', { reason: 'x'.repeat(1_000) }).details;
    expect(detail?.value).toHaveLength(402);
  });
});

describe('lookOf', () => {
  it.each([
    ['pull_unblocked', 'good'],
    ['pull_blocked', 'bad'],
    ['turn_queued', 'calm'],
  ])('%s is %s', (type, look) => {
    expect(lookOf(type)).toBe(look);
  });
});
