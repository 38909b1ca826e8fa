import type { State } from '@mergexo/state';
import type { Repo } from '../tools.js';

/** Records the current logins. Returns the account ids of all logins that ever posted for MergeXO. */
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
