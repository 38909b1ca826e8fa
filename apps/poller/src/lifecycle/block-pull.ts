import { planNotice } from '@mergexo/core/actions';
import { renderBlockNotice, renderPullRemedy } from '@mergexo/core/outbox';
import { asksForHead, type BlockKind, type Turn } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { endTurn } from './end-turn.js';
import { recordEvents } from './record-events.js';
import { dropNotices } from './withdraw-notices.js';

export type Block = {
  kind: BlockKind;
  reason: string;
  expectedSha?: string | null;
  observedSha?: string | null;
  /** False for what the agent did in its checkout: GitHub never saw that head, so nobody is offered to accept it. */
  isPushed?: boolean;
};

/** Nothing more happens on the pull request until a person lifts it, and people are told once. Inside a transaction. */
export function blockPull(tools: Records, pull: Pull, block: Block): void {
  const { state, now } = tools;
  if (pull.status !== 'awaiting_feedback') return;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const { kind, reason, expectedSha = null, isPushed = true } = block;
  const foundSha = block.observedSha ?? null;
  const observedSha = isPushed ? foundSha : null;
  state.savePull({ ...pull, status: 'blocked', blockedKind: kind, error: reason }, now());
  const run = state.readRun(runId);
  if (run !== undefined)
    state.saveRun({ ...run, status: 'blocked', blockedKind: kind, error: reason }, now());
  const rewritten = kind === 'history_rewritten';
  const words = renderBlockNotice({
    reason,
    expectedSha,
    observedSha,
    isPushed,
    remedy: renderPullRemedy({ prNumber, rewritten: isPushed && asksForHead(kind), observedSha }),
  });
  const ordinal = state.countEventsOfPull(repoId, prNumber, 'pull_blocked');
  const cause = [kind, expectedSha, observedSha, ordinal];
  state.recordActions(
    [planNotice({ kind: 'block_notice', repoId, runId, thread: prNumber, cause, words })],
    now(),
  );
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
              observed_head_sha: foundSha,
            },
          },
        ]
      : []),
  ]);
}

/** The turn ends with it. Inside a transaction. */
export function blockPullOf(tools: Records, turn: Turn, block: Block): void {
  endTurn(tools, turn, 'blocked', block.reason);
  const pull = turn.prNumber === null ? undefined : tools.state.readPull(turn.repoId, turn.prNumber);
  if (pull !== undefined) blockPull(tools, pull, block);
}

/** No adapter has this name: whichever comes next begins a session of its own. */
const NO_SESSION = {
  adapter: 'none',
  threadId: null,
  stateSummary:
    'The session of the earlier work was lost; the pull request and its comments are what is known.',
};

/** Also used for a reset from the command line. Events are kept; the accepted head changes only if one is named. */
export function unblockPull(tools: Records, pull: Pull, by: { who: string; headSha: string | null }): void {
  const { state, now } = tools;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const head = by.headSha === null ? {} : { acceptedHeadSha: by.headSha, acceptedAt: now() };
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
  dropNotices(tools, repoId, prNumber, 'it was unblocked', ['block_notice']);
  const payload = { by: by.who, head_sha: by.headSha };
  recordEvents(tools, [{ type: 'pull_unblocked', repoId, runId, issueNumber, prNumber, payload }]);
}

/** Only the head that GitHub shows can be accepted: history would grow from a commit that the branch does not have. */
export function explainForeignHead({ headSha: current }: Pull, headSha: string | null): string | undefined {
  if (headSha === null || headSha === current) return undefined;
  const shown = current === null ? 'GitHub has not shown its head yet' : `GitHub shows ${current}`;
  return `${headSha} is not the current head of the branch: ${shown}`;
}
