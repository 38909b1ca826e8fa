import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../dist/search/main.js', import.meta.url));

/** Each search is a process of its own, because a simulated world replaces the process's clock. */
const search = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [MAIN, ...args], { env: { ...process.env, NODE_OPTIONS: '' } })).stdout;

describe('the search for faults', () => {
  it('replays a seed exactly', async () => {
    const args = ['--digests', '--seed', '3', '--runs', '2'];
    const [first, second] = await Promise.all([search(...args), search(...args)]);
    expect(first).toMatch(/^3 [0-9a-f]{64}\n4 [0-9a-f]{64}\n$/);
    expect(second).toBe(first);
  });

  it('breaks no promise in the schedules that once failed', async () => {
    expect(await search('--corpus')).toMatch(/^\d+ schedules, .* 0 violations\n$/);
  });

  it('breaks no promise in the first schedules', async () => {
    expect(await search('--seed', '1', '--runs', '6')).toMatch(/^6 schedules, .* 0 violations\n$/);
  });
});
