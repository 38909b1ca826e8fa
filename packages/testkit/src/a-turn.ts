import { createHash } from 'node:crypto';
import type { Turn } from '@mergexo/core';

/** A valid turn; every call gives another key unless one is given. */
export function aTurn(overrides: Partial<Turn> = {}): Turn {
  serial += 1;
  return {
    turnKey: createHash('sha256').update(`turn ${process.pid} ${serial}`).digest('hex'),
    repoId: 1,
    runId: null,
    kind: 'bugfix_start',
    issueNumber: serial,
    prNumber: null,
    state: 'open',
    reason: null,
    epoch: 0,
    begins: [],
    workerId: null,
    heartbeatAt: null,
    crashes: 0,
    agentFailures: 0,
    infrastructureFailures: 0,
    notBefore: null,
    planDigest: null,
    openedAt: 1_700_000_000_000 + serial,
    endedAt: null,
    ...overrides,
  };
}

let serial = 0;
