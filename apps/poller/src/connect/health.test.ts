import { join } from 'node:path';
import { Failure, silentLog } from '@mergexo/core/basics';
import { POLLER_HEARTBEAT_MS } from '@mergexo/core/health';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createHealth, type Health } from './health.js';

describe('the health record', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let health: Health;
  let clock: number;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    clock = 1_000_000;
    health = createHealth({ state, log: silentLog, now: () => clock, monotonicNow: () => clock });
    health.beat();
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  const read = (subject: string) => state.listHealth().find((report) => report.subject === subject);
  const beatAfter = (ms: number): void => {
    clock += ms;
    health.beat();
  };

  it('records every ten seconds that the poller is alive, even without changes', () => {
    beatAfter(POLLER_HEARTBEAT_MS - 1);
    expect(read('poller')).toMatchObject({ code: 'ok', checkedAt: 1_000_000 });
    beatAfter(1);
    expect(read('poller')).toMatchObject({ code: 'ok', checkedAt: clock, since: 1_000_000 });
  });

  it('records a change at once, with its start time', () => {
    health.report('redis', new Failure('unavailable', 'no answer'));
    beatAfter(1_000);
    const since = clock;
    expect(read('redis')).toMatchObject({ code: 'unreachable', detail: 'no answer', since });
    health.report('redis', new Failure('unavailable', 'no answer'));
    beatAfter(POLLER_HEARTBEAT_MS);
    expect(read('redis')).toMatchObject({ code: 'unreachable', since, checkedAt: clock });
    health.report('redis');
    beatAfter(1_000);
    expect(read('redis')).toMatchObject({ code: 'ok', okAt: clock });
  });

  it('records a stop', () => {
    health.stop();
    expect(read('poller')?.code).toBe('stopped');
  });

  it('records a rejected token once, also across restarts and repeated reports', () => {
    const events = () => state.listEventsOfTypes(['token_rejected'], 0, 10).map(({ payload }) => payload);
    for (let start = 0; start < 3; start += 1) {
      health = createHealth({ state, log: silentLog, now: () => clock, monotonicNow: () => clock });
      health.report('github', 'token-rejected');
      beatAfter(POLLER_HEARTBEAT_MS);
    }
    expect(events()).toEqual([{ code: 'token-rejected' }]);
    health.report('github');
    beatAfter(POLLER_HEARTBEAT_MS);
    health.report('github', 'token-rejected');
    beatAfter(POLLER_HEARTBEAT_MS);
    expect(events()).toHaveLength(2);
  });
});
