import { writeFileSync } from 'node:fs';
import { readSettings } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { eventually, useTemporaryDirectory } from '@mergexo/testkit';
import { startReloading } from './start-reloading.js';

describe('startReloading', () => {
  const pathTo = useTemporaryDirectory();
  const write = (keys: string): void =>
    writeFileSync(pathTo('mergexo.toml'), `[repo.a]\nowner = "o"\nname = "n"\n${keys}\n`);
  const start = () =>
    startReloading(
      readSettings({ configPath: pathTo('mergexo.toml'), env: {}, homeDir: '/home/ada' }),
      silentLog,
    );

  it('reports a bad file with the heartbeats, and keeps the last good config until the file is good', async () => {
    write('required_tests = "test.sh"');
    const watch = start();
    const tests = () => watch.settings().config.repos[0]?.requiredTests;
    try {
      expect([watch.notices(), tests()]).toEqual([[], 'test.sh']);
      write('required_tests = 3');
      await eventually(() => expect(watch.notices()).toEqual(['config-not-loaded']));
      expect(tests()).toBe('test.sh');
      write('required_tests = "check.sh"');
      watch.reload();
      expect([watch.notices(), tests()]).toEqual([[], 'check.sh']);
    } finally {
      watch.stop();
    }
  });
});
