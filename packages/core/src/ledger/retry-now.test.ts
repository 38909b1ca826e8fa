import { aTurn } from '@mergexo/testkit';
import { retryNow } from './retry-now.js';

const NOW = 5_000;
const waiting = { state: 'queued', heartbeatAt: NOW - 1_000, notBefore: NOW + 30_000, epoch: 3 } as const;

describe('retryNow', () => {
  it.each(['queued', 'frozen'] as const)('ends the wait of a %s turn and starts the next epoch', (state) => {
    const turn = aTurn({ ...waiting, state });
    expect(retryNow(turn, NOW, undefined)).toEqual({ ...turn, epoch: 4, notBefore: null });
  });

  it.each([-20_000, 20_000])("keeps the turn waiting until the provider's limit resets", (ms) => {
    const turn = aTurn({ ...waiting, reason: 'crashed' });
    const until = waiting.notBefore + ms;
    const limit = { adapter: 'codex', until, reason: 'usage-limit: no credit' };
    expect(retryNow(turn, NOW, limit)).toEqual({ ...turn, epoch: 4, notBefore: until, reason: limit.reason });
  });

  it.each([
    ['has a worker', { workerId: 'w' }],
    ['waits only for a free worker', { notBefore: null }],
    ['has waited long enough', { notBefore: NOW - 1 }],
    ['has ended', { state: 'blocked' as const }],
  ])('changes nothing if the turn %s', (_what, given) => {
    expect(retryNow(aTurn({ ...waiting, ...given }), NOW, undefined)).toBeUndefined();
  });
});
