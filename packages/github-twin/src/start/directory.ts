import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { openJournal } from '../journal/journal.js';

export type Directory = Awaited<ReturnType<typeof openDirectory>>;

/** Opens the directory of `--dir`. Its journal has a temporary name until the seed is complete. */
export async function openDirectory(dir: string) {
  fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const root = fs.realpathSync(dir);
  const file = path.join(root, 'journal.jsonl');
  const unfinished = path.join(root, 'seeding.jsonl');
  const repos = path.join(root, 'repos');
  const unlock = await takeLock(root);
  try {
    const isNew = !fs.existsSync(file);
    if (isNew && fs.existsSync(repos) && !fs.existsSync(unfinished))
      throw new Error(`${file} is missing. Restore it from a copy, or remove ${root} to start again.`);
    if (isNew) for (const left of [repos, unfinished]) fs.rmSync(left, { recursive: true, force: true });
    const journal = openJournal(isNew ? unfinished : file);
    const finishSeed = () => {
      journal.flush();
      fs.renameSync(unfinished, file);
    };
    const release = () => {
      journal.close();
      unlock();
    };
    return { root, isNew, journal, finishSeed, release };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Locks the directory with a socket, which the kernel closes when its owner dies. A pid file would remain. */
async function takeLock(root: string): Promise<() => void> {
  const file = path.join(root, 'lock.sock');
  const client = net.connect(file);
  const isHeld = await once(client, 'connect').then(
    () => true,
    () => false,
  );
  client.destroy();
  if (isHeld) throw new Error(`${root} is in use by another twin. Stop that twin, or choose another --dir.`);
  fs.rmSync(file, { force: true });
  const server = net.createServer((socket) => socket.destroy()).unref();
  await once(server.listen(file), 'listening');
  return () => void server.close();
}
