import type { Turn } from './turn.js';

/** Creates a new turn in its initial state. */
export function openTurn(
  identity: Pick<Turn, 'turnKey' | 'repoId' | 'runId' | 'kind' | 'issueNumber' | 'prNumber' | 'openedAt'>,
): Turn {
  return {
    ...identity,
    state: 'open',
    reason: null,
    epoch: 0,
    begins: [],
    workerId: null,
    heartbeatAt: null,
    progressSequence: null,
    crashes: 0,
    agentFailures: 0,
    infrastructureFailures: 0,
    notBefore: null,
    planDigest: null,
    endedAt: null,
  };
}
