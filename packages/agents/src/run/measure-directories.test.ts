import { chmodSync, linkSync, symlinkSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { measureDirectories } from './measure-directories.js';

const MB = 1_000_000;
const { signal } = new AbortController();

describe('measureDirectories', () => {
  const pathTo = useTemporaryDirectory();
  /** Replaces `du` with a program that prints a size and then takes a minute. */
  const slowDown = (): string => {
    writeFileSync(pathTo('du'), '#!/bin/sh\nprintf "8\\tx\\n"\nexec sleep 60\n');
    chmodSync(pathTo('du'), 0o755);
    return `${pathTo('.')}:/usr/bin:/bin`;
  };

  it('counts hard links once, and follows no symbolic link', async () => {
    writeFileSync(pathTo('file'), Buffer.alloc(MB, 1));
    linkSync(pathTo('file'), pathTo('again'));
    symlinkSync('/usr', pathTo('link'));
    const bytes = await measureDirectories([pathTo('.')], { signal });
    expect([bytes >= MB, bytes < 2 * MB]).toEqual([true, true]);
  });

  it('counts a tree as too large if measuring takes too long', async () => {
    const searchPath = slowDown();
    const bytes = await measureDirectories([pathTo('.')], { signal, limitMs: 50, searchPath });
    expect(bytes).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not count a tree as too large if the run ends during the measurement', async () => {
    const ended = new AbortController();
    const measured = measureDirectories([pathTo('.')], { signal: ended.signal, searchPath: slowDown() });
    ended.abort();
    expect(await measured).toBeLessThan(MB);
  });
});
