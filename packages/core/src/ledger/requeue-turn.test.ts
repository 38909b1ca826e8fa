import { aTurn } from '@mergexo/testkit';
import { queueTurn, requeueTurn } from './requeue-turn.js';

const NOW = 5_000;

describe('requeueTurn', () => {
  it.each(['queued', 'running', 'frozen'] as const)(
    'gives a %s turn without a job the next epoch',
    (state) => {
      const turn = aTurn({ state, epoch: 3, begins: ['a'], workerId: 'w' });
      expect(requeueTurn(turn, { kind: 'missing' }, NOW)).toEqual({ ...turn, epoch: 4 });
      expect(requeueTurn(turn, { kind: 'completed' }, NOW)).toEqual({ ...turn, epoch: 4 });
    },
  );

  it('does not change a turn that already has a job', () => {
    expect(requeueTurn(aTurn({ state: 'running' }), { kind: 'present' }, NOW)).toBeUndefined();
  });

  it.each(['open', 'speaking', 'done', 'blocked', 'cancelled', 'superseded', 'deferred'] as const)(
    'gives no job to a turn that is %s',
    (state) => expect(requeueTurn(aTurn({ state }), { kind: 'missing' }, NOW)).toBeUndefined(),
  );

  it('counts a failed job as a crash, and blocks the turn after the third', () => {
    const turn = aTurn({ state: 'running', epoch: 1, workerId: 'w', begins: ['a'] });
    const failed = { kind: 'failed', reason: 'TypeError: oops' } as const;
    expect(requeueTurn(turn, failed, NOW)).toMatchObject({
      state: 'queued',
      epoch: 2,
      crashes: 1,
      workerId: null,
    });
    expect(requeueTurn({ ...turn, crashes: 2 }, failed, NOW)).toMatchObject({
      state: 'blocked',
      epoch: 1,
      crashes: 3,
    });
  });
});

describe('queueTurn', () => {
  it('queues an open turn once', () => {
    const queued = queueTurn(aTurn());
    expect(queued).toMatchObject({ state: 'queued', epoch: 1 });
    expect(queued && queueTurn(queued)).toBeUndefined();
  });
});
