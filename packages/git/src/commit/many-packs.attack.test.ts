import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git } from '../testing/shell.js';
import { makeWorld, TRAILER } from '../testing/world.js';

describe('an agent that leaves a hundred packs', () => {
  it('does not keep MergeXO busy', async () => {
    const world = makeWorld({});
    const { slot, head } = await world.start();
    commit(slot.path, { 'src/a.txt': 'agent\n' });
    git(slot.path, 'repack', '-q', '-d');
    const packs = join(slot.path, '.git/objects/pack');
    for (let index = 0; index < 100; index += 1)
      writeFileSync(join(packs, `pack-${String(index).padStart(40, '0')}.pack`), 'x');
    const collected = await slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });
    expect(collected).toMatchObject({ kind: 'invalid', reason: expect.stringContaining('100 packs') });
    await world.remove();
  });
});
