import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';

/** The descriptor that bubblewrap reports on; see its option `--info-fd`. */
export const INFO_FD = 3;

const Info = z.object({ 'child-pid': z.int().min(2) });

/** The first process inside: all others die with it, because the pid namespace is its own. Known once bubblewrap says so. */
export function readInitPid(child: ChildProcess): () => number | undefined {
  let text = '';
  let pid: number | undefined;
  const pipe = child.stdio[INFO_FD];
  pipe?.on('error', () => {});
  pipe?.on('data', (chunk) => {
    if (text.length < 10_000) text += String(chunk);
    pid ??= parseInfo(text);
  });
  return () => pid;
}

function parseInfo(text: string): number | undefined {
  try {
    return Info.parse(JSON.parse(text))['child-pid'];
  } catch {
    // Only a part of it has come.
    return undefined;
  }
}
