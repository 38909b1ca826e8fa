import { renderBlockNotice, renderPullRemedy } from '@mergexo/core/outbox';
import { asksForHead, type BlockKind, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordNotice } from './action.js';
import { endTurn } from './end-turn.js';
import { readPullOf } from './read-pull-of.js';
import { recordEvents } from './record-events.js';
import { dropNotices } from './withdraw-notices.js';

export type Block = {
  kind: BlockKind;
  reason: string;
  expectedSha?: string | null;
  observedSha?: string | null;
  /** False for a rewrite in the agent's checkout. GitHub does not have that head, so people cannot accept it. */
  isPushed?: boolean;
};

/** Stops all work on the pull request until a person unblocks it, and posts one notice. Requires a transaction. */
export function blockPull(tools: Records, pull: Pull, block: Block): void {
  const { state, now } = tools;
  if (pull.status !== 'awaiting_feedback') return;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const { kind, reason, expectedSha = null, isPushed = true } = block;
  const actualSha = block.observedSha ?? null;
  const observedSha = isPushed ? actualSha : null;
  state.savePull({ ...pull, status: 'blocked', blockedKind: kind, error: reason }, now());
  const run = state.readRun(runId);
  if (run !== undefined)
    state.saveRun({ ...run, status: 'blocked', blockedKind: kind, error: reason }, now());
  const rewritten = kind === 'history_rewritten';
  const text = renderBlockNotice({
    reason,
    expectedSha,
    observedSha,
    isPushed,
    remedy: renderPullRemedy({ prNumber, rewritten: isPushed && asksForHead(kind), observedSha }),
  });
  const ordinal = state.countEventsOfPull(repoId, prNumber, 'pull_blocked');
  const cause = [kind, expectedSha, observedSha, ordinal];
  recordNotice(tools, { kind: 'block_notice', repoId, runId, thread: prNumber, cause, payload: { text } });
  const about = { repoId, runId, issueNumber, prNumber };
  const shas = { expected_head_sha: expectedSha, observed_head_sha: observedSha };
  recordEvents(tools, [
    { type: 'pull_blocked', ...about, payload: { kind, reason, ...shas } },
    ...(rewritten
      ? [
          {
            type: 'history_rewrite_blocked' as const,
            ...about,
            payload: {
              issue_number: issueNumber,
              pr_number: prNumber,
              expected_head_sha: expectedSha,
              observed_head_sha: actualSha,
            },
          },
        ]
      : []),
  ]);
}

/** Blocks the pull request of a turn and ends the turn. Requires a transaction. */
export function blockPullOf(tools: Records, turn: Turn, block: Block): void {
  endTurn(tools, turn, { end: 'blocked', reason: block.reason });
  const pull = readPullOf(tools.state, turn);
  if (pull !== undefined) blockPull(tools, pull, block);
}

/** Placeholder session. No adapter has this name, so the next turn starts a new session. */
const NO_SESSION = {
  adapter: 'none',
  threadId: null,
  stateSummary: 'The earlier agent session was lost. Only the pull request and its comments are known.',
};

/** Unblocks a pull request. Keeps its events. Changes the accepted head only if the person specifies one. */
export function unblockPull(
  tools: Records,
  pull: Pull,
  { by, reason, headSha }: { by: string; reason: string | null; headSha: string | null },
): void {
  const { state, now } = tools;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const head = headSha === null ? {} : { acceptedHeadSha: headSha, acceptedAt: now() };
  state.savePull({ ...pull, ...head, status: 'awaiting_feedback', blockedKind: null, error: null }, now());
  const run = state.readRun(runId);
  if (run !== undefined) {
    const cleared = {
      status: 'awaiting_feedback' as const,
      blockedKind: null,
      error: null,
      clearedAt: now(),
    };
    state.saveRun({ ...run, ...cleared }, now());
    if (state.readSession(runId) === undefined) state.saveSession({ runId, ...NO_SESSION }, now());
  }
  dropNotices(tools, { repoId, thread: prNumber, kinds: ['block_notice'] }, { code: 'unblocked' });
  const payload = { by, reason, head_sha: headSha };
  recordEvents(tools, [{ type: 'pull_unblocked', repoId, runId, issueNumber, prNumber, payload }]);
}

/**
 * Returns why a head cannot be accepted, or undefined if it can. Only the current head is acceptable: with any other
 * head, the next check would report a rewrite.
 */
export function explainUnacceptableHead(
  { headSha: current }: Pull,
  headSha: string | null,
): string | undefined {
  if (headSha === null || headSha === current) return undefined;
  const shown =
    current === null
      ? 'MergeXO has not read the head commit from GitHub yet'
      : `MergeXO last read ${current} from GitHub. If the branch has changed since, try again in a minute`;
  return `${headSha} is not the head commit of the branch: ${shown}`;
}
