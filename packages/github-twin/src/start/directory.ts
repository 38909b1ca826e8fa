import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export type StateDirectory = {
  root: string;
  /** Fills the directory wholly or not at all: what a crash leaves half done is thrown away by the next start. */
  seed(work: () => Promise<void>): Promise<void>;
  release(): void;
};

/** Where a twin keeps its state: a directory that stays, with one twin at a time in it, or one that goes with it. */
export function takeDirectory(dir: string | undefined): StateDirectory {
  if (dir === undefined) {
    const root = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'twin-'));
    const release = () => fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    return { root, seed: (work) => work(), release };
  }
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const root = fs.realpathSync(dir);
  const release = takeLock(root);
  const unfinished = path.join(root, 'seeding');
  if (fs.existsSync(unfinished))
    for (const name of ['state.jsonl', 'history.jsonl', 'repos', 'seeding'])
      fs.rmSync(path.join(root, name), { recursive: true, force: true });
  const seed = async (work: () => Promise<void>) => {
    fs.writeFileSync(unfinished, '');
    await work();
    fs.rmSync(unfinished);
  };
  return { root, seed, release };
}

/** A process id alone proves nothing after a restart of the machine, so the lock also says when its holder began. */
function takeLock(root: string): () => void {
  const lock = path.join(root, 'twin.pid');
  const mine = `${process.pid} ${startOf(process.pid)}`;
  const holder = readQuietly(lock);
  const [pid = ''] = holder.split(' ');
  if (/^\d+$/.test(pid) && holder === `${pid} ${startOf(Number(pid))}` && isAlive(Number(pid)))
    throw new Error(`${root} is in use by the twin with process id ${pid}`);
  fs.rmSync(lock, { force: true });
  fs.writeFileSync(lock, mine, { flag: 'wx', mode: 0o600 });
  return () => {
    if (readQuietly(lock) === mine) fs.rmSync(lock, { force: true });
  };
}

/** In ticks since the machine started; the same for all where the system does not tell. */
function startOf(pid: number): string {
  const stat = readQuietly(`/proc/${pid}/stat`);
  // The name of the program, in brackets, may contain anything; what follows it is plain.
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function readQuietly(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process cannot be signalled, but it lives.
    return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM';
  }
}
