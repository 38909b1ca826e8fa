import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isAlive, mayBeAlive, referTo } from './process-identity.js';
import { listProcesses } from './process-table.js';

const IDENTITY = fileURLToPath(new URL('../dist/process-identity.js', import.meta.url));

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const nameOf = (pid: number): string =>
  spawnSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim();

describe('isAlive', () => {
  it('is true for a living process, and false for a zombie or a process with another start time', async () => {
    // The shell replaces itself with `sleep`, which never reaps its child. The child must not end before
    // that, because the shell would reap it.
    const script = '{ exec cat >/dev/null; } <&3 & echo $!; exec 3<&-; exec sleep 60';
    const child = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
    try {
      const zombie = Number(await new Promise((resolve) => child.stdout?.once('data', resolve)));
      const parent = referTo(child.pid ?? 0);
      const ref = referTo(zombie);
      if (parent === undefined || ref === undefined) throw new Error('no child');
      expect(isAlive(parent)).toBe(true);
      expect(isAlive(ref)).toBe(true);
      expect(isAlive({ ...parent, identity: 'long ago' })).toBe(false);
      await until(() => nameOf(parent.pid).endsWith('sleep'));
      child.stdio[3]?.destroy();
      await until(() => !listProcesses().some(({ pid }) => pid === zombie));
      expect(referTo(zombie)).toEqual(ref);
      expect(isAlive(ref)).toBe(false);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is false if no process has the pid', () => {
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
