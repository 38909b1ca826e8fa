import { writeFileSync } from 'node:fs';
import { readSettings } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { askPoller, startRequest } from './ask-poller.js';

const SECRET = 'b2'.repeat(32);

describe('the signing secret that the dashboard reads', () => {
  const pathTo = useTemporaryDirectory();

  it('never appears in output, even if Redis does not respond', async () => {
    const configPath = pathTo('mergexo.toml');
    writeFileSync(
      configPath,
      `[runtime]\nbase_dir = "${pathTo('.')}"\n[repo.app]\nowner = "o"\nname = "n"\n`,
    );
    const env = { MERGEXO_REDIS_URL: 'redis://127.0.0.1:1' };
    const settings = readSettings({ configPath, env, homeDir: pathTo('.') });
    writeFileSync(settings.paths.secret, `${SECRET}\n`, { mode: 0o600 });
    const target = { repo: null, number: null, reason: null };
    const message = {
      kind: 'steer' as const,
      ...startRequest('r1', null),
      order: 'pause' as const,
      ...target,
    };
    const outcome = await askPoller({ ...settings, verbose: false, password: undefined }, message);
    expect(outcome.kind).toBe('unanswered');
    const keys = `${SECRET} ${computeSender(SECRET, 'operator').key}`;
    expect(settings.redact(keys)).toBe('[redacted] [redacted]');
  }, 20_000);
});
