import { join } from 'node:path';
import { parseConfig } from '@mergexo/config';
import { openState } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { isInRebuildWindow, noteOutdated } from './database-age.js';

const NOON = Date.parse('2026-01-02T12:00:00Z');
const HOUR_MS = 3_600_000;

it('opens no turn during the window after a rebuild; setting the clock back does not extend the window', () => {
  const directory = createTemporaryDirectory();
  const state = openState(join(directory.path, 'state.db'));
  try {
    const text = '[repo.app]\nowner = "alice"\nname = "app"\n';
    const [config] = parseConfig(text, { homeDir: directory.path, sourceName: 'test' }).repos;
    if (config === undefined) throw new Error('no repository');
    const repo = { id: 1, config };
    state.saveRepository({ id: 1, owner: 'alice', name: 'app', defaultBranch: 'main' });
    const isHeld = (now: number) => isInRebuildWindow({ state, now: () => now, windowMs: 60_000 }, repo);
    expect(isHeld(NOON)).toBe(true);
    state.saveFeed({ repoId: 1, name: 'issues', cursor: null, etag: null }, NOON);
    expect(isHeld(NOON)).toBe(false);
    noteOutdated({ state, now: () => NOON }, 1);
    expect([NOON, NOON + 59_999, NOON + 60_000, NOON - 2 * HOUR_MS].map(isHeld)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  } finally {
    state.close();
    directory.remove();
  }
});
