import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { Notice } from '@mergexo/core/notices';
import type { Channel, Sent } from '@mergexo/notify';
import { openState, readHealth, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createOutageRecords } from './outage-record.js';
import { GRACE_MS, MAX_SENDS, STOPPED_GRACE_MS, watchPoller } from './watch-poller.js';

describe('watchPoller', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let clock: number;
  let sent: Notice[];
  let answer: Sent;
  let isConfigured: boolean;
  let check: () => Promise<void>;
  const webhook: Channel = {
    name: 'webhook',
    send: async (notices) => {
      sent.push(...notices);
      return answer;
    },
  };
  const start = (): void => {
    check = watchPoller({
      channels: () => (isConfigured ? [webhook] : []),
      readHealth: () => readHealth(state, { now: clock, pollIntervalMs: 1_000, configured: [] }),
      records: createOutageRecords(join(directory.path, 'outage.json')),
      now: () => clock,
      monotonicNow: () => clock,
      log: silentLog,
    });
  };
  const beat = (code: 'ok' | 'stopped' = 'ok'): void =>
    state.saveHealth({ subject: 'poller', code, detail: null }, clock);
  const pass = async (ms: number): Promise<void> => {
    for (const end = clock + ms; clock < end; clock += 10_000) await check();
  };
  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    clock = 1_000_000;
    sent = [];
    answer = { kind: 'sent' };
    isConfigured = true;
    start();
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  it('sends one message per outage, also after the dashboard restarts', async () => {
    beat();
    await pass(60_000);
    expect(sent).toEqual([]);
    await pass(GRACE_MS);
    start();
    await pass(3_600_000);
    expect(sent).toMatchObject([
      { kind: 'poller', text: expect.stringContaining('Poller not running since') },
    ]);
    beat();
    await pass(20_000);
    await pass(3_600_000);
    expect(sent).toHaveLength(2);
  });

  it('ignores a poller that has never run, a restart, and a running poller', async () => {
    await pass(3_600_000);
    for (let round = 0; round < 50; round += 1) {
      beat();
      await pass(60_000);
    }
    expect(sent).toEqual([]);
  });

  it('uses a channel that the config gains while the dashboard runs, and drops one that it loses', async () => {
    isConfigured = false;
    beat();
    await pass(600_000);
    expect(sent).toEqual([]);
    isConfigured = true;
    await pass(GRACE_MS + 20_000);
    expect(sent).toHaveLength(1);
    beat();
    await pass(20_000);
    isConfigured = false;
    await pass(600_000);
    expect(sent).toHaveLength(1);
  });

  it('waits ten minutes before it reports a poller that shut down normally', async () => {
    beat('stopped');
    await pass(STOPPED_GRACE_MS - 20_000);
    expect(sent).toEqual([]);
    await pass(60_000);
    expect(sent).toHaveLength(1);
  });

  it('repeats a failed send a few times, also across restarts', async () => {
    beat();
    answer = { kind: 'failed', reason: 'x' };
    await pass(600_000);
    start();
    await pass(3_600_000);
    expect(sent).toHaveLength(MAX_SENDS);
  });

  it('sends its message even if it can neither read nor write the record of the outage', async () => {
    writeFileSync(join(directory.path, 'outage.json'), 'not json');
    beat();
    await pass(600_000);
    expect(sent).toHaveLength(1);
    chmodSync(directory.path, 0o500);
    try {
      beat();
      await pass(600_000);
      expect(sent).toHaveLength(2);
    } finally {
      chmodSync(directory.path, 0o700);
    }
  });
});
