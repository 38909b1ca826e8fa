import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@mergexo/core/basics';
import { createGit } from '../create-git.js';
import { AUTHOR, commit, SEARCH_PATH } from './shell.js';
import { NEW_BRANCH, TRAILER } from './world.js';

/** A worker without an agent that runs turns in leased slots. Reports a slot that another process also used. */
const [baseDir = '', remoteUrl = '', turns = '1'] = process.argv.slice(2);
const git = createGit({
  baseDir,
  searchPath: SEARCH_PATH,
  log: silentLog,
  credential: async () => undefined,
});
const repo = { owner: 'acme', name: 'app', remoteUrl, defaultBranch: 'main' };
const say = (text: string) => void process.stdout.write(`${text}\n`);

say('started');
for (let turn = 0; turn < Number(turns); turn += 1) {
  const slot = await git.leaseSlot(repo, { author: AUTHOR, signal: new AbortController().signal });
  const restored = await slot.restore(NEW_BRANCH);
  if (restored.kind !== 'ready') throw new Error(restored.kind);
  const path = join(slot.path, 'src/a.txt');
  const text = `${process.pid} ${turn}\n`;
  commit(slot.path, { 'src/b.txt': text });
  writeFileSync(path, text);
  await sleep(5);
  if (readFileSync(path, 'utf8') !== text) say('shared');
  const collected = await slot.collect({ startSha: restored.head, message: 'x', trailer: TRAILER });
  if (collected.kind !== 'collected' || collected.files.length !== 2) say(`wrong: ${collected.kind}`);
  say(`used ${basename(slot.path)}`);
  await slot.release();
}
say('finished');
