import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { findOnPath, onlyWith } from '@mergexo/testkit';
import { createFileMeter } from './measure-files.js';
import { createMeter } from './measure-processes.js';

const NO_LIMITS = { processes: 100_000, memoryBytes: 1e12 };
const MB = 1e6;
/**
 * Shorter than the 6 s of silence after which a worker loses its turn, and shorter than the time to read
 * every open file at once. The limit is generous, because other programs share the CPU.
 */
const MAX_STALL_MS = 1_000;

/** Opens files, then forks children that inherit them. Prints all pids. */
const buildScript = (script: string, children: number): string => `
use POSIX; my @held; ${script}
my @children; for (1 .. ${children}) { my $pid = fork; if (!$pid) { sleep 60; exit } push @children, $pid }
$SIG{TERM} = sub { kill 'KILL', @children; exit };
$| = 1; print join(',', $$, @children), "\\n"; sleep 60;`;

const dup = (count: number): string => `POSIX::dup(0) for 1 .. ${count};`;
/** An open, deleted 8 MB file. Its descriptor is the highest so far. */
const UNLINKED = `open(my $file, '>', "/tmp/mx-unlinked-$$") or die; unlink "/tmp/mx-unlinked-$$";
$| = 1; syswrite $file, 'x' x 8_000_000; push @held, $file;`;

const missing =
  process.platform !== 'linux'
    ? 'this is not Linux'
    : findOnPath('perl')
      ? undefined
      : 'perl is not installed';

onlyWith(missing).describe('a run that tries to stall or evade the measurement', () => {
  let child: ChildProcess | undefined;
  afterEach(async () => {
    if (child === undefined) return;
    child.kill();
    await once(child, 'close');
  });

  async function attack(script: string, children: number): Promise<number[]> {
    const perl = spawn(
      'sh',
      ['-c', 'ulimit -n $(ulimit -H -n); exec perl -e "$0"', buildScript(script, children)],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    child = perl;
    const [line] = await once(perl.stdout, 'data');
    return String(line).split(',').map(Number);
  }

  /** Returns the longest gap between two ticks of a 5 ms timer. */
  async function measureStall(work: () => Promise<unknown>): Promise<number> {
    let lastMs = performance.now();
    let longestMs = 0;
    const tick = (): void => {
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
    };
    const timer = setInterval(tick, 5);
    await work();
    clearInterval(timer);
    tick();
    return longestMs;
  }

  it.each([
    ['thousands of open files in each of 12 processes', dup(15_000), 11],
    ['hundreds of processes', dup(20), 300],
  ])('cannot stall the rest of the program with %s', async (_name, script, children) => {
    const pids = await attack(script, children);
    const measure = createMeter();
    for (let round = 0; round < 3; round += 1) {
      expect(await measureStall(() => measure(pids, NO_LIMITS))).toBeLessThan(MAX_STALL_MS);
    }
  });

  it('cannot avoid being counted, even with 180,000 open files', async () => {
    const pids = await attack(dup(15_000), 11);
    const measure = createMeter();
    const { openFiles, processes } = await measure(pids, NO_LIMITS);
    expect(processes).toBe(12);
    expect(openFiles).toBeGreaterThan(15_000);
  });

  it.each([
    ['after thousands of open files', `${dup(5_000)} ${UNLINKED}`, 0],
    ['before thousands of open files', `${UNLINKED} ${dup(5_000)}`, 0],
    ['that several processes have open', `${dup(1_000)} ${UNLINKED}`, 4],
  ])('cannot hide a deleted file %s from later measurements', async (_name, script, children) => {
    const pids = await attack(script, children);
    const measure = createFileMeter(500);
    let most = 0;
    for (let round = 0; round < 14; round += 1) most = Math.max(most, (await measure(pids)).unlinkedBytes);
    expect(most).toBeGreaterThan(7.9 * MB);
    expect(most).toBeLessThan(8.1 * MB);
    // During the next pass, the file stays counted until the pass reaches it again.
    for (let round = 0; round < 14; round += 1) {
      expect((await measure(pids)).unlinkedBytes).toBeGreaterThan(7.9 * MB);
    }
  });
});
