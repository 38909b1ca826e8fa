import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { eventually, useTemporaryDirectory } from '@mergexo/testkit';
import { readSettings } from '../read-settings.js';
import { type ConfigWatch, type Reload, watchConfig } from './watch-config.js';

describe('watchConfig', () => {
  const pathTo = useTemporaryDirectory();
  let watch: ConfigWatch;
  let reloads: Reload[];
  const write = (text: string): void =>
    writeFileSync(pathTo('mergexo.toml'), `${text}\n[repo.a]\nowner = "o"\nname = "n"\n`);
  const start = (text: string): void => {
    write(text);
    const read = () => readSettings({ configPath: pathTo('mergexo.toml'), env: {}, homeDir: '/home/ada' });
    reloads = [];
    watch = watchConfig({ started: read(), read, onReload: (reload) => reloads.push(reload), checkMs: 20 });
  };
  afterEach(() => watch.stop());
  const limit = () => watch.settings().config.limits.maxOpenPrs;

  it('loads a changed file, and names the keys that took effect and those that need a restart', async () => {
    start('[limits]\nmax_open_prs = 3');
    write('[limits]\nmax_open_prs = 4\n[runtime]\nworker_count = 5');
    await eventually(() => expect(reloads).toHaveLength(1));
    expect(reloads).toEqual([
      {
        kind: 'reloaded',
        keys: ['limits.max_open_prs', 'limits.max_concurrent_implementations'],
        needRestart: ['runtime.worker_count'],
      },
    ]);
    expect(limit()).toBe(4);
    expect(watch.settings().config.runtime.workerCount).toBe(2);
  });

  it('keeps the last good config while the file is bad or missing, and loads it once it is good', async () => {
    start('[limits]\nmax_open_prs = 3');
    write('[limits]\nmax_open_prs = -1');
    await eventually(() => expect(reloads).toHaveLength(1));
    expect(reloads[0]).toMatchObject({
      kind: 'rejected',
      reason: expect.stringContaining('limits.max_open_prs'),
    });
    expect(limit()).toBe(3);
    rmSync(pathTo('mergexo.toml'));
    await eventually(() => expect(reloads).toHaveLength(2));
    expect(reloads[1]).toMatchObject({ kind: 'rejected', reason: expect.stringContaining('does not exist') });
    write('[limits]\nmax_open_prs = 7');
    await eventually(() => expect(limit()).toBe(7));
  });

  it('notices a file that an editor replaces with another of the same size', async () => {
    start('[limits]\nmax_open_prs = 3');
    writeFileSync(pathTo('new'), '[limits]\nmax_open_prs = 8\n[repo.a]\nowner = "o"\nname = "n"\n');
    renameSync(pathTo('new'), pathTo('mergexo.toml'));
    await eventually(() => expect(limit()).toBe(8));
  });

  it('reads the file at once on request', () => {
    start('');
    write('[limits]\nmax_open_prs = 9');
    watch.reload();
    expect(limit()).toBe(9);
    expect(reloads).toHaveLength(1);
  });

  it('forgets that a key needs a restart once the file has its old value again', () => {
    start('');
    write('[runtime]\nworker_count = 5');
    watch.reload();
    write('');
    watch.reload();
    expect(reloads).toMatchObject([{ needRestart: ['runtime.worker_count'] }, { needRestart: [] }]);
  });
});
