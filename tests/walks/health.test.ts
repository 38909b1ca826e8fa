import type { HealthReport } from '@mergexo/core';
import { eventually } from '@mergexo/testkit';
import { createWalk, type Walk } from '../support/walk.js';

describe('the health record of the poller', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await createWalk();
  });
  afterAll(() => walk.close());

  const find = (subject: string): HealthReport | undefined =>
    walk.withState((state) => state.listHealth().find((report) => report.subject.split('/')[0] === subject));
  const codes = () => ['poller', 'redis', 'github', 'repo'].map((subject) => find(subject)?.code);

  it('tells a live poller, a revoked token and a stop apart', async () => {
    const poller = await walk.ready(walk.startPoller(), 'poller is ready');
    await eventually(() => expect(codes()).toEqual(['ok', 'ok', 'ok', 'ok']));
    const okAt = find('repo')?.okAt ?? 0;

    walk.twin.control.expireToken('robot');
    await eventually(() => expect(codes()).toEqual(['ok', 'ok', 'token-rejected', 'token-rejected']));
    // The last complete poll stays known while polls fail.
    expect(find('repo')?.okAt).toBeGreaterThanOrEqual(okAt);

    poller.kill('SIGTERM');
    expect(await poller.exited).toBe(0);
    expect(find('poller')?.code).toBe('stopped');
  });
});
