import { setTimeout as sleep } from 'node:timers/promises';
import { isLoopbackUrl, type Settings } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import type { SigningKeys } from '@mergexo/core/outbox';
import { isDiskTrouble } from '@mergexo/state';
import type { WriteBudget } from '../tools/write-budget.js';
import type { GitHubLink, Records } from '../tools.js';
import { createSigner, type Signer } from './create-signer.js';

const SETTLE_MS = 30_000;
/** Short for a local GitHub, because tests and the demo play the work in seconds. */
const LOCAL_SETTLE_MS = 1_000;

type SigningTools = Records & {
  link: GitHubLink;
  keys: SigningKeys;
  monotonicNow: () => number;
  isStopping: () => boolean;
  budget: WriteBudget;
};

/** Returns the poller's signer. It does nothing until GitHub has confirmed the login. */
export function createSigning({ config }: Settings, tools: SigningTools): Signer {
  const { visibilityWindowSeconds, writeSpacingSeconds } = config.runtime;
  const { link, log } = tools;
  let signer: Signer | undefined;
  return {
    async sign(options) {
      const { viewer } = link.connected() ?? {};
      if (viewer === undefined) return;
      signer ??= createSigner({
        ...tools,
        github: link.github,
        // `viewer` is a getter, because a new token may belong to another login.
        get viewer() {
          return link.connected()?.viewer ?? viewer;
        },
        redact: link.redact,
        repos: () => link.connected()?.repos ?? [],
        sleep: (ms) => sleep(ms),
        windowMs: visibilityWindowSeconds * 1_000,
        spacingMs: writeSpacingSeconds * 1_000,
        settleMs: isLoopbackUrl(config.github.apiUrl) ? LOCAL_SETTLE_MS : SETTLE_MS,
      });
      try {
        await signer.sign(options);
      } catch (error) {
        if (!(error instanceof Failure) || isDiskTrouble(error)) throw error;
        log.warn({ err: error }, 'a round of reactions and status comments failed; MergeXO retries');
      }
    },
  };
}
