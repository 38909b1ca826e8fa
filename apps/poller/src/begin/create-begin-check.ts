import { Failure } from '@mergexo/core/basics';
import { familyOf, type PullFamily, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import { readTurnLimit } from '../lifecycle/agent-limits.js';
import { readPauseOf } from '../lifecycle/pause.js';
import { readPullOf, readRunOf } from '../lifecycle/read-pull-of.js';
import { later, type Refreshed, waitForResume } from '../refreshed.js';
import type { Repo } from '../tools.js';
import { checkCaps } from './check-caps.js';
import { refreshFeedback } from './refresh-feedback.js';
import { refreshFix } from './refresh-fix.js';
import { refreshReview } from './refresh-review.js';
import { refreshStart } from './refresh-start.js';
import { type RefreshTools, within } from './refresh-tools.js';

const REFRESH_LIMIT_MS = 10_000;
/** Maximum number of turns that read GitHub at the same time. Other ledger messages never wait for these reads. */
const LANES = 2;
/** Maximum delay before a worker asks again. A usage limit may end early. */
const LONGEST_WAIT_MS = 300_000;

/** Creates the check that rereads the issue or pull request from GitHub before an agent starts. */
export function createBeginCheck(tools: () => RefreshTools | undefined): (turn: Turn) => Promise<Refreshed> {
  /** Running checks by turn key. A check outlives its worker's timeout, and the worker's next request joins it. */
  const checks = new Map<string, Promise<Refreshed>>();
  return async (turn) => {
    // A turn without a run has nothing on GitHub to check.
    if (turn.runId === null) return { kind: 'fresh' };
    const ready = tools();
    if (ready === undefined) return later('the poller has not reached GitHub yet');
    const repo = ready.repos().find(({ id }) => id === turn.repoId);
    if (repo === undefined) return later('the poller has not read the repository yet');
    const pause = readPauseOf(ready.state, turn);
    if (pause !== undefined) return waitForResume(pause);
    const capped = checkCaps(ready, repo, turn);
    if (capped.kind !== 'fresh') return capped;
    const pauseMs = ready.pauseMs(repo.id);
    if (pauseMs > 0) return later('GitHub asked MergeXO to wait', Math.min(pauseMs, LONGEST_WAIT_MS));
    const limit = readTurnLimit(ready, repo.config, turn);
    if (limit !== undefined)
      return later(
        `the agent's provider has a usage limit: ${limit.reason}`,
        Math.min(limit.ms, LONGEST_WAIT_MS),
      );
    const { turnKey } = turn;
    const begun = checks.get(turnKey);
    if (begun === undefined && checks.size >= LANES) return later('other turns are reading GitHub');
    const check = begun ?? refreshTurn(ready, repo, turn);
    if (begun === undefined) {
      const forget = (): void => void checks.delete(turnKey);
      checks.set(turnKey, check);
      check.then(forget, forget);
    }
    try {
      return await within(check, REFRESH_LIMIT_MS);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return later(error.message.slice(0, 500), error.retryAfterMs);
    }
  };
}

async function refreshTurn(tools: RefreshTools, repo: Repo, turn: Turn): Promise<Refreshed> {
  const run = readRunOf(tools.state, turn);
  if (run === undefined) return { kind: 'fresh' };
  const family = familyOf(turn.kind);
  if (family === 'start') return refreshStart(tools, repo, { turn, run });
  const pull = readPullOf(tools.state, turn);
  return pull === undefined ? { kind: 'fresh' } : REFRESH[family](tools, repo, { turn, pull });
}

type RefreshPull = (tools: RefreshTools, repo: Repo, seen: { turn: Turn; pull: Pull }) => Promise<Refreshed>;

const REFRESH: Record<PullFamily, RefreshPull> = {
  feedback: refreshFeedback,
  review: refreshReview,
  fix: refreshFix,
};
