import { join } from 'node:path';
import { aPlan, aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { openState, type State } from '../create-state.js';

describe('the table of turns', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  it('returns exactly the recorded turn', () => {
    const turn = aTurn({ prNumber: 5, begins: ['a', 'b'], workerId: 'w', notBefore: 12 });
    expect(state.recordTurn(turn, { issue: { title: 'Ünï "quoted"' } })).toBe(true);
    expect(state.readTurn(turn.turnKey)).toEqual(turn);
    expect(state.readTurnContext(turn.turnKey)).toEqual({ issue: { title: 'Ünï "quoted"' } });
    const changed = { ...turn, state: 'frozen', planDigest: 'd', crashes: 2 } as const;
    state.saveTurn(changed);
    expect(state.readTurn(turn.turnKey)).toEqual(changed);
    expect(state.readTurnContext(turn.turnKey)).toEqual({ issue: { title: 'Ünï "quoted"' } });
  });

  it('records each turn once, and one live turn per pull request', () => {
    const turn = aTurn({ prNumber: 5 });
    expect(state.recordTurn(turn, null)).toBe(true);
    expect(state.recordTurn(turn, null)).toBe(false);
    expect(state.recordTurn(aTurn({ prNumber: 5 }), null)).toBe(false);
    expect(state.recordTurn(aTurn({ prNumber: 6 }), null)).toBe(true);
    state.saveTurn({ ...turn, state: 'done' });
    expect(state.recordTurn(aTurn({ prNumber: 5 }), null)).toBe(true);
  });

  it('returns exactly the recorded plan', () => {
    const turn = aTurn();
    state.recordTurn(turn, null);
    expect(state.readPlan(turn.turnKey)).toBeNull();
    state.recordPlan(turn.turnKey, aPlan('p'));
    expect(state.readPlan(turn.turnKey)).toEqual(aPlan('p'));
  });

  it('stores no credentials in reasons or events', () => {
    const turn = aTurn();
    const token = `ghp_${'x7'.repeat(18)}`;
    state.recordTurn(turn, null);
    state.saveTurn({ ...turn, reason: `push with ${token} failed` });
    state.recordEvent({ type: 'turn_failed', turnKey: turn.turnKey, payload: { reason: `a "${token}"` } }, 1);
    expect(state.readTurn(turn.turnKey)?.reason).toBe('push with [redacted] failed');
    expect(state.listEventsOfTurn(turn.turnKey)[0]?.payload).toEqual({ reason: 'a "[redacted]"' });
  });

  it('redacts a token after a line break, and keeps the other fields even if one contains a private key header', () => {
    const turn = aTurn();
    state.recordTurn(turn, null);
    const token = `ghp_${'x7'.repeat(18)}`;
    const payload = {
      reason: `\n${token}`,
      title: '-----BEGIN PRIVATE KEY-----',
      acceptedHeadSha: 'kept',
    };
    state.recordEvent({ type: 'turn_failed', turnKey: turn.turnKey, payload }, 1);
    const stored = { ...payload, reason: '\n[redacted]' };
    expect(state.listEventsOfTurn(turn.turnKey)[0]?.payload).toEqual(stored);
  });

  it('rolls back all changes if a transaction fails', () => {
    const turn = aTurn();
    expect(() =>
      state.transaction(() => {
        state.recordTurn(turn, null);
        state.recordEvent({ type: 'turn_opened', turnKey: turn.turnKey }, 1);
        throw new Error('crash');
      }),
    ).toThrow('crash');
    expect(state.readTurn(turn.turnKey)).toBeUndefined();
    expect(state.listEventsAfter(0, 10)).toEqual([]);
  });
});
