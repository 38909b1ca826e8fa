import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

const PREFIX = 'account:';

/** Another token may be another login; what the earlier ones posted is still ours. Answers with all of them. */
export function noteAccounts(
  { state, now }: { state: State; now: () => number },
  repos: readonly Repo[],
  present: readonly number[],
): ReadonlySet<number> {
  const all = new Set(present);
  for (const { id } of repos) {
    const noted = new Set(state.listCursorNames(id, PREFIX));
    for (const name of noted) all.add(Number(name.slice(PREFIX.length)));
    for (const account of present) {
      const name = `${PREFIX}${account}`;
      if (!noted.has(name)) state.saveCursor(id, name, { cursor: null, etag: null }, now());
    }
  }
  return all;
}
