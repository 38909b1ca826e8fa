import { renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { WORKER_HEARTBEAT_MS } from '@mergexo/core/basics';
import type { WorkerNotice } from '@mergexo/core/ledger';
import { attempt } from '@mergexo/process';
import type { LedgerSender } from './create-ledger-sender.js';

type About = {
  workerId: string;
  /** Read for every heartbeat. */
  notices: () => readonly WorkerNotice[];
  /** Written after each acknowledged heartbeat, for `mergexo health`. */
  healthFile?: string | undefined;
};

/** Sends heartbeats. The returned function stops them and sends a final one. */
export function sendHeartbeats(
  ledger: Pick<LedgerSender, 'sendOnce'>,
  { workerId, notices, healthFile }: About,
): () => Promise<unknown> {
  let sequence = 1;
  const about = {
    kind: 'heartbeat' as const,
    workerId,
    host: hostname(),
    pid: process.pid,
  };
  const beat = async (): Promise<void> => {
    const answer = await ledger.sendOnce({ ...about, sequence, notices: [...notices()] });
    if (answer === undefined) return;
    sequence += 1;
    if (healthFile !== undefined) noteHealth(healthFile, workerId);
  };
  let beating = beat();
  const timer = setInterval(() => {
    beating = beat();
  }, WORKER_HEARTBEAT_MS);
  return async () => {
    clearInterval(timer);
    // Waits for the heartbeat in flight, which must not arrive after the final one.
    await beating;
    // Skips one sequence number: the poller may have handled a heartbeat whose answer was lost, and would ignore
    // another one with the same number.
    return ledger.sendOnce({ ...about, sequence: sequence + 1, leaving: true });
  };
}

/** Several workers of one machine may write the same file. A full disk must not stop the heartbeats. */
function noteHealth(path: string, workerId: string): void {
  attempt(() => {
    const draft = `${path}.${process.pid}`;
    const acknowledged_at = new Date().toISOString();
    writeFileSync(draft, `${JSON.stringify({ worker: workerId, acknowledged_at })}\n`, { mode: 0o600 });
    renameSync(draft, path);
  });
}
