import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { onlyWith } from '@mergexo/testkit';
import { listProcesses, RUN_MARKER } from './process-table.js';

// The kernel accepts at most 128 KB per variable.
const large = (name: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, 'x'.repeat(100_000)]));

onlyWith(process.platform === 'linux' ? undefined : 'not on Linux').describe(
  'a process with a huge environment',
  () => {
    let child: ChildProcess | undefined;
    afterEach(async () => {
      const ended = child && once(child, 'exit');
      child?.kill('SIGKILL');
      await ended;
    });
    const isMarked = async (env: Record<string, string>): Promise<boolean | undefined> => {
      child = spawn('/bin/sleep', ['60'], { env, stdio: 'ignore' });
      await once(child, 'spawn');
      return listProcesses('run-1').find(({ pid }) => pid === child?.pid)?.marked;
    };

    it('is read only at its beginning', async () => {
      expect(await isMarked({ ...large('A', 10), [RUN_MARKER]: 'run-1' })).toBe(false);
    });

    it('is still recognized if the marker comes first', async () => {
      expect(await isMarked({ [RUN_MARKER]: 'run-1', ...large('A', 10) })).toBe(true);
    });

    it.each([
      ['has another value that contains it', { OTHER: `${RUN_MARKER}=run-1` }],
      ['has a longer value', { [RUN_MARKER]: 'run-10' }],
      ['has a longer name', { [`X${RUN_MARKER}`]: 'run-1' }],
    ])('is not marked if it %s', async (_what, env) => {
      expect(await isMarked(env)).toBe(false);
    });
  },
);
