import { createManualClock } from '../basics/clock.js';
import { ask } from '../testing/ask.js';
import { AT, startTestTwin } from '../testing/test-twin.js';
import { createLimiter, GITHUB_LIMITS } from './limiter.js';

const ALICE = { kind: 'user', id: 1, extraPerHour: 0 } as const;
const read = { payer: ALICE, resource: 'core', write: false, route: 'GET /user' } as const;
const createIssue = { ...read, write: true, route: 'POST /repos/{owner}/{repo}/issues' };

describe('the rate limits', () => {
  it('allow 5,000 requests per hour, and are reset after an hour', () => {
    const clock = createManualClock();
    const limiter = createLimiter(clock, { ...GITHUB_LIMITS, pointsPerMinute: 1e9 });
    for (let index = 0; index < 5_000; index += 1) limiter.count(ALICE, 'core');
    expect(() => limiter.enter(read)).toThrow('API rate limit exceeded for user ID 1');
    expect(() => limiter.enter({ ...read, payer: { ...ALICE, id: 2 } })()).not.toThrow();
    clock.advance(3_600_000);
    expect(() => limiter.enter(read)()).not.toThrow();
  });

  it('are higher for an installation with many repositories', () => {
    const clock = createManualClock();
    const limiter = createLimiter(clock, GITHUB_LIMITS);
    const payer = { kind: 'installation', id: 7, extraPerHour: 950 } as const;
    for (let index = 0; index < 5_949; index += 1) limiter.count(payer, 'core');
    expect(limiter.state(payer, 'core')).toMatchObject({ limit: 5_950, remaining: 1 });
    expect(() => limiter.enter({ ...read, payer })()).not.toThrow();
    limiter.count(payer, 'core');
    expect(() => limiter.enter({ ...read, payer })).toThrow('exceeded for installation ID 7');
    limiter.exhaust(payer);
    expect(limiter.state(payer, 'core').remaining).toBe(0);
  });

  it('reject content writes above 80 a minute and 500 an hour, but no reads', () => {
    const clock = createManualClock();
    const limiter = createLimiter(clock, { ...GITHUB_LIMITS, pointsPerMinute: 1e9 });
    const post = (count: number) => {
      for (let index = 0; index < count; index += 1) limiter.enter(createIssue)();
    };
    post(80);
    expect(() => post(1)).toThrow('secondary rate limit');
    expect(() => limiter.enter(read)()).not.toThrow();
    for (let minute = 0; minute < 5; minute += 1) {
      clock.advance(60_000);
      post(80);
    }
    clock.advance(60_000);
    expect(() => post(21)).toThrow('content creation');
  });

  it('reject requests above 900 points a minute or 100 simultaneous requests', () => {
    const limiter = createLimiter(createManualClock(), GITHUB_LIMITS);
    const running = Array.from({ length: 100 }, () => limiter.enter(read));
    expect(() => limiter.enter(read)).toThrow('secondary rate limit');
    for (const leave of running) leave();
    for (let index = 0; index < 160; index += 1) limiter.enter({ ...read, write: true })();
    expect(() => limiter.enter(read)).toThrow('secondary rate limit');
  });

  it("are sent in headers, and reject HTTP requests with GitHub's errors", async () => {
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

  it('do not count a rejected write', async () => {
    const twin = await startTestTwin({ limits: { contentPerMinute: 2 } });
    const statuses: number[] = [];
    for (let index = 0; index < 3; index += 1)
      statuses.push((await ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } })).status);
    expect(statuses).toEqual([201, 201, 403]);
    expect(twin.history.list('write').filter((entry) => entry.table === 'issues')).toHaveLength(2);
  });
});
