import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import { isDiskTrouble, type State } from '@mergexo/state';
import type { WriteBudget } from '../tools/write-budget.js';
import type { GitHubLink } from '../tools.js';
import { createCloser } from './close-turns.js';
import { createOutbox, type Outbox } from './drain-outbox.js';

/** Returns a function that runs one round of posting. A round does nothing until GitHub has confirmed the login. */
export function createPosting(
  { config }: Settings,
  tools: {
    state: State;
    link: GitHubLink;
    keys: SigningKeys;
    log: Log;
    now: () => number;
    monotonicNow: () => number;
    isStopping: () => boolean;
    budget: WriteBudget;
  },
): () => Promise<void> {
  const { visibilityWindowSeconds, writeSpacingSeconds } = config.runtime;
  const { link, log } = tools;
  const repos = () => link.connected()?.repos ?? [];
  const windowMs = visibilityWindowSeconds * 1_000;
  const closeTurns = createCloser({ ...tools, github: link.github, redact: link.redact, repos, windowMs });
  let outbox: Outbox | undefined;
  return async () => {
    const { viewer } = link.connected() ?? {};
    if (viewer === undefined) return;
    outbox ??= createOutbox({
      ...tools,
      github: link.github,
      // `viewer` is a getter, because a new token may belong to another login.
      get viewer() {
        return link.connected()?.viewer ?? viewer;
      },
      reviewer: link.reviewer,
      postsChecks: link.app !== undefined,
      redact: link.redact,
      repos,
      sleep: (ms) => sleep(ms),
      windowMs,
      spacingMs: writeSpacingSeconds * 1_000,
    });
    try {
      await outbox.drain();
      await closeTurns();
    } catch (error) {
      if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
      log.warn({ err: error }, 'a round of posting failed; MergeXO retries');
    }
  };
}
