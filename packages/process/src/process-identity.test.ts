import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isAlive, mayBeAlive, referTo } from './process-identity.js';
import { listProcesses } from './process-table.js';

const IDENTITY = fileURLToPath(new URL('../dist/process-identity.js', import.meta.url));

describe('isAlive', () => {
  it('knows the living, and takes neither another start nor a zombie for it', async () => {
    const child = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const zombie = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
      const parent = referTo(child.pid ?? 0);
      if (parent === undefined) throw new Error('no child');
      expect(isAlive(parent)).toBe(true);
      expect(isAlive({ ...parent, identity: 'long ago' })).toBe(false);
      const ref = referTo(zombie);
      if (ref === undefined) throw new Error('the zombie is gone');
      const isZombie = (): boolean => !listProcesses().some(({ pid }) => pid === zombie);
      while (!isZombie()) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(isAlive(ref)).toBe(false);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is false where there is nobody', () => {
    const max = process.platform === 'linux' ? readFileSync('/proc/sys/kernel/pid_max', 'utf8') : '99999';
    expect(isAlive({ pid: Number(max) + 10, identity: 'x' })).toBe(false);
  });
});

describe('mayBeAlive', () => {
  it('is true when no file handle is left to read the process table', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { mayBeAlive, referToSelf } from '${IDENTITY}';
      const self = referToSelf();
      try { for (;;) openSync('/dev/null'); } catch {}
      process.exitCode = mayBeAlive(self) ? 0 : 3;`;
    const args = [
      '-c',
      'ulimit -n 64; exec "$@"',
      'sh',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ];
    const { status } = spawnSync('sh', args, { stdio: 'ignore' });
    expect(status).toBe(0);
    expect(mayBeAlive({ pid: 2 ** 22 + 1, identity: 'x' })).toBe(false);
    expect(mayBeAlive({ pid: Number.NaN, identity: undefined })).toBe(false);
  });
});
