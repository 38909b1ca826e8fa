import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findOnPath, onlyWith } from '@mergexo/testkit';
import { createMeter } from './measure-processes.js';

const NO_LIMITS = { processes: 10_000, memoryBytes: 1e12 };
const MB = 1e6;

/** Holds 100 MB, then forks children that use the same pages. Prints a line when all of them run. */
const SHARING = `
my $held = 'x' x 100_000_000;
for (1 .. 4) { my $pid = fork; if (!$pid) { sleep 60; exit } push @children, $pid }
$SIG{TERM} = sub { kill 'KILL', @children; exit };
$| = 1; print join(',', $$, @children), "\\n"; sleep 60;`;

describe('createMeter', () => {
  it('measures this process', async () => {
    const usage = await createMeter()([process.pid], NO_LIMITS);
    expect(usage.memoryBytes).toBeGreaterThan(20 * MB);
    expect(usage.memoryBytes).toBeLessThan(4_000 * MB);
    expect(usage.processes).toBeGreaterThan(0);
  });

  it('counts nothing for processes that have ended', async () => {
    expect(await createMeter()([2 ** 22 + 1], NO_LIMITS)).toMatchObject({ memoryBytes: 0, openFiles: 0 });
    expect(await createMeter()([], NO_LIMITS)).toEqual({
      processes: 0,
      memoryBytes: 0,
      openFiles: 0,
      unlinkedBytes: 0,
    });
  });

  const missing =
    process.platform !== 'linux'
      ? 'this is not Linux'
      : findOnPath('perl')
        ? undefined
        : 'perl is not installed';
  onlyWith(missing).it('counts shared memory only once if the rough sum exceeds the limit', async () => {
    const child = spawn('perl', ['-e', SHARING], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout, 'data');
    const pids = String(line).split(',').map(Number);
    const { memoryBytes: rough } = await createMeter()(pids, NO_LIMITS);
    const { memoryBytes: exact } = await createMeter()(pids, { ...NO_LIMITS, memoryBytes: 200 * MB });
    child.kill();
    await once(child, 'close');
    expect(exact).toBeGreaterThan(95 * MB);
    expect(exact).toBeLessThan(rough / 3);
  });
});
