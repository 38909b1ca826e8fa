import { Failure } from '@mergexo/core/basics';
import { familyOf, type PullFamily, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import { readTurnLimit } from '../lifecycle/agent-limits.js';
import type { Refreshed } from '../refreshed.js';
import { later } from '../refreshed.js';
import type { Repo } from '../tools.js';
import { checkCaps } from './check-caps.js';
import { refreshFeedback } from './refresh-feedback.js';
import { refreshFix } from './refresh-fix.js';
import { refreshReview } from './refresh-review.js';
import { refreshStart } from './refresh-start.js';
import { type RefreshTools, within } from './refresh-tools.js';

const REFRESH_LIMIT_MS = 10_000;
/** So many turns look at GitHub at once; other messages of the ledger never wait for them. */
const LANES = 2;
/** A limit may be lifted before its time. */
const LONGEST_WAIT_MS = 300_000;

/** Looks at GitHub once more before an agent is asked: the world may have moved since the turn was opened. */
export function createBeginCheck(tools: () => RefreshTools | undefined): (turn: Turn) => Promise<Refreshed> {
  /** A look that takes longer than a worker waits goes on, and the next asking joins it. */
  const looks = new Map<string, Promise<Refreshed>>();
  return async (turn) => {
    // A turn of no run has nothing on GitHub to look at.
    if (turn.runId === null) return { kind: 'fresh' };
    const ready = tools();
    if (ready === undefined) return later('GitHub has not been reached yet');
    const repo = ready.repos().find(({ id }) => id === turn.repoId);
    if (repo === undefined) return later('the repository has not been reached yet');
    const capped = checkCaps(ready, repo, turn);
    if (capped.kind !== 'fresh') return capped;
    const pauseMs = ready.pauseMs(repo.id);
    if (pauseMs > 0) return later('GitHub asks to wait', Math.min(pauseMs, LONGEST_WAIT_MS));
    const limit = readTurnLimit(ready, repo.config, turn);
    if (limit !== undefined)
      return later(`the agent's provider asks to wait: ${limit.reason}`, Math.min(limit.ms, LONGEST_WAIT_MS));
    const { turnKey } = turn;
    const begun = looks.get(turnKey);
    if (begun === undefined && looks.size >= LANES) return later('other turns look at GitHub just now');
    const look = begun ?? refreshTurn(ready, repo, turn);
    if (begun === undefined) {
      const forget = (): void => void looks.delete(turnKey);
      looks.set(turnKey, look);
      look.then(forget, forget);
    }
    try {
      return await within(look, REFRESH_LIMIT_MS);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return later(error.message.slice(0, 500), error.retryAfterMs);
    }
  };
}

async function refreshTurn(tools: RefreshTools, repo: Repo, turn: Turn): Promise<Refreshed> {
  const run = turn.runId === null ? undefined : tools.state.readRun(turn.runId);
  if (run === undefined) return { kind: 'fresh' };
  const family = familyOf(turn.kind);
  if (family === 'start') return refreshStart(tools, repo, turn, run);
  const pull = turn.prNumber === null ? undefined : tools.state.readPull(repo.id, turn.prNumber);
  return pull === undefined ? { kind: 'fresh' } : REFRESH[family](tools, repo, turn, pull);
}

type RefreshPull = (tools: RefreshTools, repo: Repo, turn: Turn, pull: Pull) => Promise<Refreshed>;

const REFRESH: Record<PullFamily, RefreshPull> = {
  feedback: refreshFeedback,
  review: refreshReview,
  fix: refreshFix,
};
