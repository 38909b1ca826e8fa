import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import type { Notice } from '@mergexo/core/notices';
import type { RuntimeEvent } from '@mergexo/core/timeline';
import type { Channel, Sent } from '@mergexo/notify';
import { openState, type State } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createDelivery } from './create-delivery.js';
import { MAX_SENDS } from './deliver-notices.js';

const DAY_MS = 86_400_000;

describe('the delivery of notifications', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  let clock: number;
  let messages: string[][];
  let answer: () => Sent;
  let troubles: (string | undefined)[];
  let deliver: () => Promise<void>;

  const channelNamed = (name: Channel['name']): Channel => ({
    name,
    send: async (notices: readonly Notice[]) => {
      messages.push(notices.map(({ id, text }) => `${id} ${text}`));
      return answer();
    },
  });
  /** Starts like a new process: without memory. */
  const start = (more = '', channels = [channelNamed('webhook')]): void => {
    const config = parseConfig(`[notify]\n${more}\n[repo.a]\nowner = "o"\nname = "n"\n`, { homeDir: '/' });
    deliver = createDelivery({
      ...{ state, log: silentLog, now: () => clock, monotonicNow: () => clock },
      report: (_channel, trouble) => troubles.push(trouble),
      signal: new AbortController().signal,
      config: () => config,
      channels: () => channels,
    });
  };
  const record = (type: RuntimeEvent['type'] = 'run_blocked', payload = { kind: 'turn_failed' }): void =>
    state.recordEvent({ type, repoId: 1, issueNumber: 3, payload }, clock);
  const blockMany = (count: number): void => {
    for (let index = 0; index < count; index += 1) record();
  };

  beforeEach(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
    clock = 1_000_000;
    messages = [];
    troubles = [];
    answer = () => ({ kind: 'sent' });
    start();
  });
  afterEach(() => {
    state.close();
    directory.remove();
  });

  it('sends each event once, also after a restart', async () => {
    record();
    record('turn_opened');
    await deliver();
    await deliver();
    start();
    await deliver();
    expect(messages).toEqual([[expect.stringContaining('Blocked (turn failed)')]]);
    record('token_rejected');
    await deliver();
    expect(messages).toHaveLength(2);
  });

  it('sends events that were recorded while the poller was down', async () => {
    record();
    start();
    await deliver();
    expect(messages).toHaveLength(1);
  });

  it('sends no old events to a new channel, or to one that was removed for a while', async () => {
    start('', []);
    blockMany(5);
    start();
    await deliver();
    expect(messages).toEqual([]);
    record();
    await deliver();
    expect(messages).toHaveLength(1);
  });

  it('sends only the chosen events', async () => {
    start('events = ["token"]');
    record();
    record('token_rejected');
    await deliver();
    expect(messages).toEqual([[expect.stringContaining('token')]]);
  });

  it('does not notify about a repository that was removed from the config', async () => {
    state.saveRepository({ id: 2, owner: 'o', name: 'gone', defaultBranch: 'main' });
    state.recordEvent({ type: 'run_blocked', repoId: 2, issueNumber: 3, payload: {} }, clock);
    await deliver();
    expect(messages).toEqual([]);
  });

  it('sends up to three events one by one, and more as a digest', async () => {
    blockMany(3);
    await deliver();
    expect(messages.map((message) => message.length)).toEqual([1, 1, 1]);
    blockMany(4);
    await deliver();
    expect(messages.at(-1)).toHaveLength(4);
  });

  it('sends at most six messages per minute, and the rest as a digest afterwards', async () => {
    for (let index = 0; index < 10; index += 1) {
      record();
      await deliver();
    }
    expect(messages).toHaveLength(6);
    clock += 60_000;
    await deliver();
    expect(messages).toHaveLength(7);
    expect(messages.at(-1)).toHaveLength(4);
  });

  it('repeats a failed send with growing waits, reports it, and gives it up after eight sends', async () => {
    answer = () => ({ kind: 'failed', reason: 'responded with 500' });
    record();
    await deliver();
    await deliver();
    expect(messages).toHaveLength(1);
    clock += 4_999;
    await deliver();
    expect(messages).toHaveLength(1);
    clock += 1;
    await deliver();
    expect(messages).toHaveLength(2);
    for (let index = 0; index < 20; index += 1) {
      clock += DAY_MS;
      await deliver();
    }
    expect(messages).toHaveLength(MAX_SENDS);
    expect(troubles).toEqual(Array(MAX_SENDS).fill('responded with 500'));
    answer = () => ({ kind: 'sent' });
    record();
    await deliver();
    expect(messages).toHaveLength(MAX_SENDS + 1);
    expect(messages.at(-1)).toEqual([expect.stringMatching(/^event-2 /)]);
    expect(troubles.at(-1)).toBeUndefined();
  });

  it('sends what happened during a failure together with the failed message', async () => {
    answer = () => ({ kind: 'failed', reason: 'x' });
    record();
    await deliver();
    blockMany(3);
    answer = () => ({ kind: 'sent' });
    clock += 5_000;
    await deliver();
    expect(messages.at(-1)).toHaveLength(4);
  });

  it('sends a message once more after a crash between the send and its record, but not forever', async () => {
    answer = () => {
      throw new Error('crash');
    };
    record();
    for (let index = 0; index < 20; index += 1) {
      start();
      await deliver().catch(() => {});
    }
    expect(messages).toHaveLength(MAX_SENDS);
    answer = () => ({ kind: 'sent' });
    record();
    start();
    await deliver();
    expect(messages.at(-1)).toEqual([expect.stringMatching(/^event-2 /)]);
  });

  it('ends a wait if the clock was set back', async () => {
    answer = () => ({ kind: 'failed', reason: 'x' });
    record();
    await deliver();
    clock -= DAY_MS;
    await deliver();
    expect(messages).toHaveLength(2);
  });

  it('does not let one channel hold back another', async () => {
    let free = (): void => {};
    const hanging: Channel = {
      name: 'webhook',
      send: () => new Promise((resolve) => (free = () => resolve({ kind: 'sent' }))),
    };
    start('', [hanging, channelNamed('command')]);
    record();
    const round = deliver();
    await new Promise(setImmediate);
    expect(messages).toHaveLength(1);
    free();
    await round;
  });

  it('reports a removed channel as healthy', async () => {
    state.saveHealth({ subject: 'notify/webhook', code: 'failing', detail: 'x' }, clock);
    start('', []);
    expect(troubles).toEqual([undefined]);
  });
});
