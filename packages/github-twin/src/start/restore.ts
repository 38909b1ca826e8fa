import fs from 'node:fs';
import path from 'node:path';
import { repoNamed } from '../control/control.js';
import { syncRefs } from '../domain/sync-refs.js';
import type { Note } from '../journal/journal.js';
import type { World } from '../world/world.js';

/** Restores rows, tokens, history, refs and clock to their state at the last note. */
export async function restore(world: World, notes: Note[]): Promise<void> {
  const { store, history, clock } = world;
  const advice = `Restore it from a copy, or remove ${world.root} to start again.`;
  if (notes.length === 0) throw new Error(`The journal in ${world.root} is empty. ${advice}`);
  for (const { entry, token, atMs, lastId } of notes) {
    if (token) store.restore(token, atMs);
    if (entry) history.restore(entry);
    if (entry?.kind === 'write') store.restore(entry, atMs);
    if (entry?.kind === 'ref') {
      const gitRepo = world.gitRepo(repoNamed(world, entry.repo));
      const { [entry.ref]: _before, ...others } = gitRepo.refs();
      gitRepo.setRefs(entry.after === null ? others : { ...others, [entry.ref]: entry.after });
    }
    store.skipIds(lastId);
    clock.advance(Math.max(0, atMs - clock.now()));
  }
  for (const repo of store.repos.all()) {
    const { dir } = world.gitRepo(repo);
    if (!fs.existsSync(path.join(dir, 'HEAD'))) throw new Error(`${dir} is missing. ${advice}`);
    // A killed git process leaves lock files that would block every later push to the same branch.
    for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.lock')) fs.rmSync(path.join(dir, name));
    // If the twin was killed during a push, the refs have moved but the pull requests were not updated.
    await syncRefs({ world, repo }, null);
  }
}
