import { chooseReplayKind, type EvalCase, type Replay } from '@mergexo/core/eval';
import type { BegunTurn } from '@mergexo/core/ledger';
import { computeTurnKey } from '@mergexo/core/turns';

/** The author of commits that are never pushed. */
export const REPLAY_AUTHOR = { name: 'mergexo-eval', email: 'mergexo-eval@users.noreply.localhost' };

/** Builds the turn that the poller would have sent to a worker. */
export function buildReplayTurn(evalCase: EvalCase, replay: Replay): BegunTurn {
  const { issueNumber, prNumber } = evalCase;
  const turnKind = chooseReplayKind(evalCase.start.flow, replay);
  const uploads = evalCase.uploads[replay];
  const identity = { kind: turnKind, repoId: 0, number: prNumber, unfinishedBefore: 0 };
  return {
    kind: 'begun',
    turnKey: computeTurnKey({ ...identity, discriminator: ['eval', replay] }),
    attempt: 1,
    turnKind,
    repoId: 0,
    issueNumber,
    prNumber: replay === 'start' ? null : prNumber,
    context: JSON.parse(JSON.stringify(evalCase[replay])),
    ...(uploads.listed.length > 0 && { uploads }),
    frozen: null,
    author: REPLAY_AUTHOR,
  };
}
