import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type StateDirectory = { root: string; release(): void };

/** Where a twin keeps its state: a directory that stays, with one twin at a time in it, or one that goes with it. */
export function takeDirectory(dir: string | undefined): StateDirectory {
  if (dir === undefined) {
    const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'twin-'));
    return { root, release: () => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 }) };
  }
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const root = fs.realpathSync(dir);
  const lock = path.join(root, 'twin.pid');
  const holder = readPid(lock);
  if (holder !== undefined && isAlive(holder))
    throw new Error(`${root} is in use by the twin with process id ${holder}`);
  fs.writeFileSync(lock, String(process.pid));
  return { root, release: () => fs.rmSync(lock, { force: true }) };
}

function readPid(file: string): number | undefined {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
