import { createManualClock } from '../basics/clock.js';
import { ask } from '../testing/ask.js';
import { AT, startTestTwin } from '../testing/test-twin.js';
import { createLimiter, GITHUB_LIMITS } from './limiter.js';

const read = { write: false, content: false };
const comment = { write: true, content: true };

describe('the limits', () => {
  it('end the primary budget after 5,000 requests and give it back after an hour', () => {
    const clock = createManualClock();
    const limiter = createLimiter(clock, { ...GITHUB_LIMITS, pointsPerMinute: 1e9 });
    for (let index = 0; index < 5_000; index += 1) limiter.count(1, 'core');
    expect(() => limiter.enter(1, 'core', read)).toThrow('API rate limit exceeded for user ID 1');
    expect(() => limiter.enter(2, 'core', read)()).not.toThrow();
    clock.advance(3_600_000);
    expect(() => limiter.enter(1, 'core', read)()).not.toThrow();
  });

  it('stop content at 80 a minute and 500 an hour, but not reads', () => {
    const clock = createManualClock();
    const limiter = createLimiter(clock, { ...GITHUB_LIMITS, pointsPerMinute: 1e9 });
    const post = (count: number) => {
      for (let index = 0; index < count; index += 1) limiter.enter(1, 'core', comment)();
    };
    post(80);
    expect(() => post(1)).toThrow('secondary rate limit');
    expect(() => limiter.enter(1, 'core', read)()).not.toThrow();
    for (let minute = 0; minute < 5; minute += 1) {
      clock.advance(60_000);
      post(80);
    }
    clock.advance(60_000);
    expect(() => post(21)).toThrow('content creation');
  });

  it('stop at 900 points a minute and at 100 requests at once', () => {
    const limiter = createLimiter(createManualClock(), GITHUB_LIMITS);
    const running = Array.from({ length: 100 }, () => limiter.enter(1, 'core', read));
    expect(() => limiter.enter(1, 'core', read)).toThrow('secondary rate limit');
    for (const leave of running) leave();
    for (let index = 0; index < 160; index += 1) limiter.enter(1, 'core', { write: true, content: false })();
    expect(() => limiter.enter(1, 'core', read)).toThrow('secondary rate limit');
    expect(limiter.ledger(1)).toMatchObject({ peakConcurrency: 100, refused: 2 });
  });

  it('are told in headers, and refuse over HTTP as GitHub does', async () => {
    const twin = await startTestTwin();
    const first = await ask(twin, `GET ${AT}`);
    expect([first.headers.get('x-ratelimit-limit'), first.headers.get('x-ratelimit-used')]).toEqual([
      '5000',
      '1',
    ]);
    twin.control.exhaustRate('alice');
    const refused = await ask(twin, `GET ${AT}`, {
      headers: { 'if-none-match': first.headers.get('etag') ?? '' },
    });
    expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([403, '0']);
    expect((await ask(twin, `GET ${AT}`, { as: 'bob' })).status).toBe(200);
    twin.control.advance(3_600_000);
    expect((await ask(twin, `GET ${AT}`)).status).toBe(200);
  });

  it('count a refused write as nothing written', async () => {
    const twin = await startTestTwin({ limits: { contentPerMinute: 2 } });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index += 1)
      statuses.push((await ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } })).status);
    expect(statuses).toEqual([201, 201, 403]);
    expect(twin.history.list('write').filter((entry) => entry.table === 'issues')).toHaveLength(2);
  });
});
