import { createBench } from '../testing/bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { runConfined } from './run-confined.js';

const { all } = await findSandboxes({ PATH: process.env['PATH'] ?? '' });

const BYTES = 4 * 1024 * 1024;

describeIn(all, 'a program in $name that prints faster than the worker reads', ({ sandbox }) => {
  it.each(['stdout', 'stderr'] as const)(
    'leaves time for other work after each chunk of %s',
    async (name) => {
      const bench = createBench(sandbox, process.env);
      let [bytes, inOneGo, most] = [0, 0, 0];
      const sink = (chunk: Buffer): boolean => {
        bytes += chunk.length;
        inOneGo += 1;
        most = Math.max(most, inOneGo);
        setImmediate(() => {
          inOneGo = 0;
        });
        // Reads slowly, so that the pipe fills up again.
        const startedMs = performance.now();
        while (performance.now() - startedMs < 5);
        return true;
      };
      const script = `head -c ${BYTES} /dev/zero >&${name === 'stdout' ? 1 : 2}`;
      const { host, cwd, home } = bench;
      const end = await runConfined(host, {
        argv: ['/bin/sh', '-c', script],
        cwd,
        home,
        stdin: '',
        stdout: () => true,
        stderr: () => true,
        [name]: sink,
        limits: { wallMs: 60_000 },
        network: sandbox.kind === 'bwrap' ? 'none' : 'all',
        signal: new AbortController().signal,
      });
      expect(end).toMatchObject({ kind: 'exited', code: 0 });
      expect(bytes).toBe(BYTES);
      // Without pauses, Node delivers more chunks in one go.
      expect(most).toBeLessThanOrEqual(2);
      bench.remove();
    },
  );
});
