import { decideReactionStep } from '@mergexo/core/signs';
import type { Repo } from '../tools.js';
import { listReactions, type WantedSign } from './list-reactions.js';
import { listStatuses } from './list-statuses.js';
import { sendReaction } from './send-reaction.js';
import { sendStatus } from './send-status.js';
import { createSignMemory } from './sign-memory.js';
import type { Signing, SignTools } from './sign-tools.js';

export type Signer = {
  /**
   * Sends the signs that changed. `isLast`: edits status comments at once, because the poller stops afterwards.
   */
  sign(options?: { isLast?: boolean }): Promise<void>;
};

/**
 * Keeps reactions and status comments up to date. Compares the wanted signs with the records of what GitHub shows, so
 * that a crash or a dropped sign needs no repair.
 */
export function createSigner(tools: SignTools): Signer {
  const memory = createSignMemory(tools);
  let running: Promise<void> = Promise.resolve();
  const round = async (isLast: boolean): Promise<void> => {
    const signing: Signing = { ...tools, memory, isLast, mayWrite: () => waitForTurn(tools) };
    if (!memory.isDue(tools.state) && !isLast) return;
    memory.startRound();
    let isComplete = false;
    try {
      isComplete = await signAll(signing);
    } finally {
      if (!isComplete) memory.wakeAfter(0);
    }
  };
  return {
    sign({ isLast = false } = {}) {
      // A failed round does not stop later rounds.
      running = running.catch(() => {}).then(() => round(isLast));
      return running;
    },
  };
}

/** Returns false if the rest must wait for a later round. */
async function signAll(signing: Signing): Promise<boolean> {
  for (const repo of signing.repos())
    if (!signing.memory.isPaused(repo.id) && !(await signRepo(signing, repo))) return false;
  return true;
}

/** Returns false if other posts come first or the budget has no room. */
async function signRepo(signing: Signing, repo: Repo): Promise<boolean> {
  const { state, memory } = signing;
  const { reactions, statusComment } = repo.config.signs;
  if (reactions) {
    const wanted = listReactions(state, repo);
    remember(signing, wanted);
    for (const sign of wanted)
      if (!memory.isPaused(repo.id) && !(await sendReaction(signing, repo, sign))) return false;
  }
  if (statusComment)
    for (const wanted of listStatuses(signing, repo))
      if (!memory.isPaused(repo.id) && !(await sendStatus(signing, repo, wanted))) return false;
  return true;
}

/** Records a comment as soon as MergeXO has picked it up, so that its answer is shown even if 👀 was dropped. */
function remember({ state }: Signing, signs: readonly WantedSign[]): void {
  const isNew = ({ row, wanted }: WantedSign): boolean =>
    decideReactionStep(row, wanted).kind !== 'none' && state.readReaction(row) === undefined;
  const fresh = signs.filter(isNew);
  if (fresh.length > 0)
    state.transaction(() => {
      for (const { row } of fresh) state.saveReaction(row);
    });
}

/** Waits for the delay between writes. Posts do not wait for signs. */
async function waitForTurn({ budget, spacingMs, sleep, isStopping }: SignTools): Promise<boolean> {
  const restMs = spacingMs - budget.quietMs();
  if (restMs > 0) await sleep(restMs);
  return budget.hasRoomForSign() && !isStopping();
}
