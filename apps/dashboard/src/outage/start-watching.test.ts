import { writeFileSync } from 'node:fs';
import { followConfig, readSettings } from '@mergexo/config';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { openChannels } from './start-watching.js';

describe('openChannels', () => {
  const pathTo = useTemporaryDirectory();
  const write = (keys: string): void =>
    writeFileSync(pathTo('mergexo.toml'), `[notify]\n${keys}\n[repo.a]\nowner = "o"\nname = "n"\n`);

  it('follows [notify] in the config file while the dashboard runs', () => {
    write('');
    const read = { env: {}, homeDir: '/home/ada' };
    const watch = followConfig(readSettings({ configPath: pathTo('mergexo.toml'), ...read }), read, () => {});
    const namesAfter = (keys: string) => {
      write(keys);
      watch.reload();
      return openChannels(watch.settings()).map(({ name }) => name);
    };
    try {
      expect(openChannels(watch.settings())).toEqual([]);
      expect(namesAfter('command = ["/bin/true"]')).toEqual(['command']);
      expect(namesAfter('command = ["/bin/true"]\ndesktop = true')).toEqual(['command', 'desktop']);
      expect(namesAfter('command = ["/bin/true"]\nevents = ["token"]')).toEqual([]);
    } finally {
      watch.stop();
    }
  });
});
