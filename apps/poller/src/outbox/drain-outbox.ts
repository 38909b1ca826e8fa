import { advance } from './advance-action.js';
import { chooseNext, threadOf } from './choose-next.js';
import { createOutboxMemory } from './outbox-memory.js';
import type { OutboxTools } from './outbox-tools.js';
import type { Posting } from './posting.js';

export type Outbox = { drain(): Promise<void> };

/**
 * Posts the actions of frozen plans, in order per thread, never twice. GitHub may have applied a `sending`
 * action, so MergeXO resends it only if a complete list after the visibility window lacks it. Threads do not
 * delay each other.
 */
export function createOutbox(tools: OutboxTools): Outbox {
  const memory = createOutboxMemory(tools);
  let lastRepo = 0;
  return {
    async drain() {
      // Copies the tools in each round, because `viewer` changes with the token.
      const outbox: Posting = { ...tools, memory };
      const waiting = new Set<string>();
      const { budget } = tools;
      try {
        for (;;) {
          const next = chooseNext(tools.state.listUnsettledActions(), waiting, lastRepo);
          if (next === undefined || budget.isSpent() || tools.isStopping()) return;
          budget.notePosting(true);
          lastRepo = next.repoId;
          if ((await advance(outbox, next)) === 'waits') waiting.add(threadOf(next));
        }
      } finally {
        budget.notePosting(false);
      }
    },
  };
}
