import type { WorkerNotice } from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';
import type { State } from '../create-state.js';

export type AliveWorker = {
  id: string;
  holder: string;
  turns: number;
  notices: readonly WorkerNotice[];
};

/** Lists workers with a current lease, each with the number of turns that it holds. */
export function listAliveWorkers(
  state: Pick<State, 'listWorkerLeases'>,
  { carried, now }: { carried: readonly Turn[]; now: number },
): AliveWorker[] {
  return state
    .listWorkerLeases()
    .filter(({ expiresAt }) => expiresAt > now)
    .map(({ workerId: id, host, pid, notices }) => ({
      id,
      holder: `${host}:${pid}`,
      turns: carried.filter(({ workerId }) => workerId === id).length,
      notices: notices ?? [],
    }));
}
