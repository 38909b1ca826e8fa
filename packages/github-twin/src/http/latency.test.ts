import { z } from 'zod';
import { ask } from '../testing/ask.js';
import { mustGit, withToken } from '../testing/git.js';
import { AT, makeTempDir, startTestTwin, type Twin } from '../testing/test-twin.js';
import { createLatency } from './latency.js';

describe('the sequence of delays', () => {
  const draw = (meanMs: number) => Array.from({ length: 1_000 }, createLatency(meanMs));

  it('stays within 20 % of the mean, uses that whole range, and is the same in every run', () => {
    const ratios = draw(150).map((ms) => ms / 150);
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(0.8);
    expect(Math.min(...ratios)).toBeLessThan(0.81);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(1.2);
    expect(Math.max(...ratios)).toBeGreaterThan(1.19);
    expect(ratios.reduce((sum, ratio) => sum + ratio) / ratios.length).toBeCloseTo(1, 1);
    expect(draw(150)).toEqual(draw(150));
  });

  it('contains only zeros without latency', () => {
    expect(new Set(draw(0))).toEqual(new Set([0]));
  });
});

/** Runs an action with this latency. Returns its duration and the number of responses that the twin delayed. */
async function observe({ world }: Twin, latencyMs: number, action: () => Promise<unknown>) {
  let delays = 0;
  world.nextLatencyMs = () => {
    delays += 1;
    return latencyMs;
  };
  const begin = performance.now();
  await action();
  return { delays, ms: performance.now() - begin };
}

describe('a twin with latency', () => {
  it('takes the mean from its options', async () => {
    const { world } = await startTestTwin({ latencyMs: 150 });
    expect(world.nextLatencyMs()).toBe(createLatency(150)());
  });

  it.each([
    ['REST', (twin: Twin) => ask(twin, `GET ${AT}`)],
    ['GraphQL', (twin: Twin) => ask(twin, 'POST /graphql', { body: { query: '{ viewer { login } }' } })],
  ])('delays each %s response', async (_api, request) => {
    const twin = await startTestTwin();
    await request(twin);
    const quick = await observe(twin, 0, () => request(twin));
    // The latency is a multiple of the usual duration, so the test also works on a busy machine.
    const slow = await observe(twin, 10 * quick.ms, () => request(twin));
    expect(slow.delays).toBe(1);
    expect(slow.ms / quick.ms).toBeGreaterThan(9);
  });

  it('does not delay git, pages or people’s actions', async () => {
    const twin = await startTestTwin({ pages: true });
    const headers = { accept: 'text/html' };
    const address = withToken(twin.gitUrl('acme', 'app'), twin.tokens['alice'] ?? '');
    for (const action of [
      () => fetch(`${twin.url}/acme/app/issues`, { headers }),
      () => mustGit(makeTempDir(), 'ls-remote', address),
      () => twin.as('bob').openIssue('acme/app', { title: 'T' }),
    ])
      expect((await observe(twin, 1, action)).delays).toBe(0);
  });

  it('shows the delay of each request in the history that the control endpoint returns', async () => {
    const twin = await startTestTwin({ latencyMs: 150, controlEndpoint: true });
    await ask(twin, `GET ${AT}`);
    const [request] = z
      .array(z.object({ arrivedAt: z.string(), at: z.string() }))
      .parse(await (await fetch(`${twin.url}/_twin/history?kind=request`)).json());
    // A timer may fire a millisecond early.
    const leastMs = createLatency(150)() - 2;
    expect(Date.parse(request?.at ?? '') - Date.parse(request?.arrivedAt ?? '')).toBeGreaterThan(leastMs);
  });
});
