import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { findConfig, findDataDirectory } from './locations.js';

describe('the locations of config and data', () => {
  const pathTo = useTemporaryDirectory();
  const start = process.cwd();
  beforeEach(() => {
    mkdirSync(pathTo('work'));
    process.chdir(pathTo('work'));
  });
  afterEach(() => process.chdir(start));

  const config = (env: Record<string, string>, platform: NodeJS.Platform = 'linux', configPath?: string) =>
    findConfig({ configPath, env, homeDir: '/home/ada', platform }).path;
  const data = (env: Record<string, string>, platform: NodeJS.Platform = 'linux', homeDir = '/home/ada') =>
    findDataDirectory({ env, homeDir, platform });

  it('follow XDG on Linux', () => {
    expect(config({})).toBe('/home/ada/.config/mergexo/mergexo.toml');
    expect(data({})).toBe('/home/ada/.local/share/mergexo');
    const env = { XDG_CONFIG_HOME: '/x/config', XDG_DATA_HOME: '/x/data' };
    expect(config(env)).toBe('/x/config/mergexo/mergexo.toml');
    expect(data(env)).toBe('/x/data/mergexo');
  });

  it('ignore relative XDG paths, because these would depend on the working directory', () => {
    const env = { XDG_CONFIG_HOME: 'config', XDG_DATA_HOME: './data' };
    expect([config(env), data(env)]).toEqual([config({}), data({})]);
  });

  it('are in Application Support on macOS, whatever XDG says', () => {
    const env = { XDG_CONFIG_HOME: '/x', XDG_DATA_HOME: '/x' };
    const directory = '/home/ada/Library/Application Support/mergexo';
    expect(config(env, 'darwin')).toBe(join(directory, 'mergexo.toml'));
    expect(data(env, 'darwin')).toBe(directory);
  });

  it('prefer the named file, then MERGEXO_CONFIG, then an existing ./mergexo.toml', () => {
    writeFileSync(pathTo('work/mergexo.toml'), '');
    const env = { MERGEXO_CONFIG: '/etc/fleet.toml' };
    expect(config(env, 'linux', '/opt/a.toml')).toBe('/opt/a.toml');
    expect(config(env)).toBe('/etc/fleet.toml');
    expect(config({ MERGEXO_CONFIG: '' })).toBe(join(process.cwd(), 'mergexo.toml'));
  });

  it('keep the data directory of earlier versions, unless the platform’s own exists', () => {
    const earlier = pathTo('.local/share/mergexo');
    mkdirSync(earlier, { recursive: true });
    const env = { XDG_DATA_HOME: pathTo('data') };
    expect(data(env, 'linux', pathTo())).toBe(earlier);
    expect(data({}, 'darwin', pathTo())).toBe(earlier);
    mkdirSync(pathTo('data/mergexo'), { recursive: true });
    expect(data(env, 'linux', pathTo())).toBe(pathTo('data/mergexo'));
  });
});
