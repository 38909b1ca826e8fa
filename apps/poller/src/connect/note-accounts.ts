import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

/** Another token may be another login; posts of the earlier logins are still ours. Returns the ids of all of them. */
export function noteAccounts(
  { state, now }: { state: State; now: () => number },
  repos: readonly Repo[],
  present: readonly number[],
): ReadonlySet<number> {
  const all = new Set(present);
  for (const { id } of repos) {
    const noted = new Set(state.listAccounts(id));
    for (const account of noted) all.add(account);
    for (const account of present) if (!noted.has(account)) state.recordAccount(id, account, now());
  }
  return all;
}
