import { writeFileSync } from 'node:fs';
import { readSettings } from '@mergexo/config';
import { computeSender } from '@mergexo/core/ledger';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { openSecret } from './open-secret.js';

const OLDER = 'a1'.repeat(32);
const CURRENT = 'b2'.repeat(32);

describe('the keys of the poller', () => {
  const pathTo = useTemporaryDirectory();

  it.each([
    ['the signing secret', CURRENT],
    ['an older signing secret', OLDER],
    ['the key of the workers on this machine', computeSender(CURRENT, 'local').key],
    ['the key of the command line and the dashboard', computeSender(CURRENT, 'operator').key],
  ])('never appear in output: %s', (_name, key) => {
    const configPath = pathTo('mergexo.toml');
    writeFileSync(
      configPath,
      `[runtime]\nbase_dir = "${pathTo('.')}"\n[repo.app]\nowner = "o"\nname = "n"\n`,
    );
    const settings = readSettings({ configPath, env: {}, homeDir: pathTo('.') });
    writeFileSync(settings.paths.secret, `${CURRENT}\n${OLDER}\n`, { mode: 0o600 });
    openSecret(settings);
    expect(settings.redact(`key ${key}`)).toBe('key [redacted]');
  });
});
