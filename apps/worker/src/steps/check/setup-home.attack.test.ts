import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openSetupHome } from './setup-home.js';

describe('a home that setup filled with links', () => {
  const directory = createTemporaryDirectory();
  afterAll(() => directory.remove());
  const open = async (name: string, signal: AbortSignal) => {
    const home = openSetupHome(join(directory.path, name), signal);
    await home.lend(true);
    return { home, current: join(directory.path, name, 'current'), kept: join(directory.path, name, 'kept') };
  };
  const measure = (path: string) =>
    Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]);

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('takes no more space in its copies', async () => {
    const { home, current, kept } = await open('links', new AbortController().signal);
    writeFileSync(join(current, 'large'), 'x'.repeat(1_000_000));
    for (let at = 0; at < 50; at += 1) linkSync(join(current, 'large'), join(current, `link-${at}`));
    await home.keep();
    expect(measure(kept)).toBeLessThan(3_000);
    await home.lend(false);
    expect(measure(current)).toBeLessThan(3_000);
  });

  it('does not delay a worker that stops', async () => {
    const { home, kept } = await open('stopped', AbortSignal.abort());
    await home.keep();
    expect(existsSync(kept)).toBe(false);
    expect(existsSync(`${kept}.new`)).toBe(false);
  });
});
