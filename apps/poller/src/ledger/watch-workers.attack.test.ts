import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { HeartbeatMessage } from '@mergexo/core/ledger';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { noteWorker } from './watch-workers.js';

it('a worker key starts at most 100 workers per minute, even if each stops at once', () => {
  const directory = createTemporaryDirectory();
  const state = openState(join(directory.path, 'state.db'));
  try {
    let clock = 1_000_000;
    const tools = { state, now: () => clock, log: silentLog };
    const beat = (id: string, more: Partial<HeartbeatMessage> = {}): string =>
      noteWorker(tools, { kind: 'heartbeat', workerId: id, host: 'h', pid: 1, sequence: 1, ...more }).kind;
    const startMany = (prefix: string): number =>
      Array.from({ length: 300 }, (_, index) => {
        const answer = beat(`local@${prefix}${index}`);
        beat(`local@${prefix}${index}`, { sequence: 2, leaving: true });
        return answer;
      }).filter((answer) => answer === 'ok').length;
    expect(startMany('a')).toBe(100);
    expect(state.readWorkerSequence('local@a0')).toBe(2);
    expect(state.readWorkerSequence('local@a299')).toBeUndefined();
    expect(beat('other@1')).toBe('ok');
    clock += 60_001;
    beat('local@z', { leaving: true });
    expect(state.readWorkerSequence('local@z')).toBeUndefined();
    expect(startMany('b')).toBe(100);
  } finally {
    state.close();
    directory.remove();
  }
});
