import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory, findOnPath, onlyWith } from '@mergexo/testkit';
import { removeNpmPaths, renderPlist, renderUnit, type Service } from './render-unit.js';

const service: Service = {
  argv: ['/opt/node', '/home/a b/mergexo.js', 'up', '--config', '/home/a b/50%/"x" & <y>$z.toml'],
  workingDirectory: '/home/a b/50%',
  searchPath: '/usr/bin:/opt/$x',
  logFile: '/home/a & b/up.log',
  stopSeconds: 135,
};

describe('the renderer of service files', () => {
  it('quotes arguments so that systemd reads them unchanged', () => {
    const lines = renderUnit(service).split('\n');
    expect(lines).toContain(
      'ExecStart="/opt/node" "/home/a b/mergexo.js" "up" "--config" "/home/a b/50%%/\\"x\\" & <y>$$z.toml"',
    );
    expect(lines).toContain('WorkingDirectory=/home/a b/50%%');
    expect(lines).toContain('Environment="PATH=/usr/bin:/opt/$x"');
    expect(lines.join('\n')).not.toContain('XDG_DATA_HOME');
    const elsewhere = renderUnit({ ...service, dataHome: '/data/50%' }).split('\n');
    expect(elsewhere).toContain('Environment="XDG_DATA_HOME=/data/50%%"');
    expect(lines).toContain('TimeoutStopSec=135');
    expect(lines).toEqual(expect.arrayContaining(['MemoryMax=85%', 'TasksMax=16384', 'OOMPolicy=continue']));
    expect(lines[1]).toContain('systemctl --user enable --now mergexo');
  });

  const analyze = findOnPath('systemd-analyze');
  onlyWith(analyze === undefined ? 'systemd-analyze is not installed' : undefined).it(
    'renders a unit that systemd accepts without warnings',
    async () => {
      const directory = createTemporaryDirectory();
      const path = join(directory.path, 'mergexo.service');
      const argv = [process.execPath, '/usr/bin/env', 'up', '--config', '/home/a b/50%/"x" & <y>$z.toml'];
      writeFileSync(path, renderUnit({ ...service, argv, workingDirectory: '/' }));
      const env = { XDG_RUNTIME_DIR: directory.path, PATH: process.env['PATH'] };
      const { status, stderr } = spawnSync(analyze ?? '', ['--user', 'verify', path], {
        env,
        encoding: 'utf8',
      });
      directory.remove();
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

  it('escapes arguments so that launchd reads them unchanged', () => {
    const plist = renderPlist(service);
    expect(plist).toContain('<string>/home/a b/50%/"x" &amp; &lt;y&gt;$z.toml</string>');
    expect(plist).toContain('<string>/home/a &amp; b/up.log</string>');
    expect(plist).toContain('<integer>135</integer>');
    const [, comment = ''] = /<!--([\s\S]*?)-->/.exec(plist) ?? [];
    expect(comment).toContain('launchctl bootstrap');
    // XML forbids `--` inside a comment.
    expect(comment).not.toContain('--');
  });
});

describe('removeNpmPaths', () => {
  it('removes the folders that npm adds and keeps the others in order', () => {
    const added = [
      '/clone/node_modules/.bin',
      '/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin',
    ];
    expect(removeNpmPaths([...added, '/opt/node/bin', '/usr/bin'].join(':'))).toBe('/opt/node/bin:/usr/bin');
  });
});
