import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { ALL } from '@mergexo/core/runs';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { pauseWork } from '../../lifecycle/pause.js';
import { queueOpenTurns } from './queue-open-turns.js';

describe('queueOpenTurns', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    for (const id of [1, 2]) state.saveRepository({ id, owner: 'o', name: `n${id}`, defaultBranch: 'main' });
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const clock = { now: () => 1, log: silentLog };
  const add = (repoId: number, name: 'open' | 'queued'): string => {
    const serial = state.listTurnsInState('open').length + state.listTurnsInState('queued').length + 1;
    const turnKey = serial.toString(16).padStart(64, '0');
    const place = { repoId, issueNumber: serial, prNumber: serial + 100 };
    state.recordTurn(aTurn({ ...place, turnKey, state: name, kind: 'implementation_feedback' }), null);
    return turnKey;
  };
  const queue = () =>
    queueOpenTurns({
      ...clock,
      state,
      queue: { enqueueTurns: async () => {}, prioritiseTurns: async () => {} },
      caps: { maxQueuedFeedback: 2 },
    });
  const pause = () =>
    pauseWork({ ...clock, state }, { repoId: 1, issueNumber: ALL, by: 'cli', reason: null });

  it('queues no turn of a paused repository', async () => {
    const [held, free] = [add(1, 'open'), add(2, 'open')];
    pause();
    await queue();
    expect([state.readTurn(held)?.state, state.readTurn(free)?.state]).toEqual(['open', 'queued']);
  });

  it('lets other repositories use the queue positions of paused turns', async () => {
    add(1, 'queued');
    add(1, 'queued');
    const free = add(2, 'open');
    await queue();
    expect(state.readTurn(free)?.state).toBe('open');
    pause();
    await queue();
    expect(state.readTurn(free)?.state).toBe('queued');
  });
});
