import { describeHealth } from '@mergexo/core/health';
import { NOTICE_TEXTS } from '@mergexo/core/ledger';
import { openState, readSnapshot } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { readChrome } from './read-chrome.js';

describe('readChrome', () => {
  const pathTo = useTemporaryDirectory();

  it('names each running worker that did not load its config file, on every page', () => {
    const state = openState(pathTo('state.db'));
    const notices = ['codex-without-own-sandbox', 'config-not-loaded'] as const;
    const lease = { host: 'mini', pid: 1, since: 1 };
    state.saveWorkerLease({ ...lease, workerId: 'w@mini-1', expiresAt: 2_000, notices });
    state.saveWorkerLease({ ...lease, workerId: 'w@good-2', expiresAt: 2_000, notices: [] });
    state.saveWorkerLease({ ...lease, workerId: 'w@gone-3', expiresAt: 900, notices });
    state.close();
    const now = 1_000;
    const health = describeHealth([], { now, repos: [], pollIntervalMs: 1_000 });
    const chrome = readSnapshot(pathTo('state.db'), (facts) => readChrome(facts, { now, health }));
    expect(chrome?.problems.filter((text) => text.startsWith('Worker'))).toEqual([
      `Worker w@mini-1: ${NOTICE_TEXTS['config-not-loaded']}.`,
    ]);
  });
});
