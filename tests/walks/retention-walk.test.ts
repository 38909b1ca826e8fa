import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecretFile } from '@mergexo/config';
import { openState } from '@mergexo/state';
import { eventually, startProgram, useTemporaryDirectory } from '@mergexo/testkit';
import { ROOT } from '../fleet/fleet.js';

const DAY_MS = 86_400_000;

describe('a running poller', () => {
  const pathTo = useTemporaryDirectory();

  it('deletes old agent steps and old records, and keeps the others', async () => {
    writeFileSync(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = "${pathTo('data')}"\nretention_days = 10\n` +
        '[github]\napi_url = "http://127.0.0.1:1"\n[repo.app]\nowner = "alice"\nname = "app"\n',
    );
    const state = openState(pathTo('data', 'state.db'));
    createSecretFile(pathTo('data', 'secret'));
    const now = Date.now();
    for (const [index, days] of [15, 13].entries()) {
      const steps = [{ kind: 'run' as const, text: `${days} days` }];
      const at = now - days * DAY_MS;
      state.recordAgentSteps({ turnKey: 'a'.repeat(64), attempt: 1, first: index, steps }, at);
    }
    for (const days of [11, 9]) state.recordEvent({ type: 'turn_queued' }, now - days * DAY_MS);
    const poller = startProgram(
      join(ROOT, 'apps/poller/dist/main.js'),
      ['--config', pathTo('mergexo.toml')],
      { GITHUB_TOKEN: 'ghp_none' },
    );
    try {
      await eventually(() => {
        expect(state.listAgentSteps({}, 10).map(({ text }) => text)).toEqual(['13 days']);
        const queued = state.listEventsAfter(0, 100).filter(({ type }) => type === 'turn_queued');
        expect(queued.map(({ createdAt }) => now - createdAt)).toEqual([9 * DAY_MS]);
      });
    } finally {
      poller.kill('SIGTERM');
      await poller.exited;
      state.close();
    }
  });
});
