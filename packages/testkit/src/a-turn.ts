import { createHash } from 'node:crypto';
import { openTurn, type Turn } from '@mergexo/core/turns';

/** A valid turn. Each call creates a new key unless one is given. */
export function aTurn(overrides: Partial<Turn> = {}): Turn {
  serial += 1;
  const turnKey = createHash('sha256').update(`turn ${process.pid} ${serial}`).digest('hex');
  const openedAt = 1_700_000_000_000 + serial;
  const identity = { turnKey, repoId: 1, runId: null, issueNumber: serial, prNumber: null, openedAt };
  return { ...openTurn({ ...identity, kind: 'bugfix_start' }), ...overrides };
}

let serial = 0;
