import type { Meta } from '@mergexo/core/outbox';
import { isLiveRun } from '@mergexo/core/runs';
import type { RuntimeEventType } from '@mergexo/core/timeline';
import type { PullRequest } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { endTurn } from '../lifecycle/end-turn.js';
import { markMerged } from '../lifecycle/mark-merged.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { restorePull } from '../lifecycle/restore-pull.js';
import { noteTakeover } from '../lifecycle/takeover.js';
import { type ListTools, listPull } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';
import { rebuildReviews } from './rebuild-reviews.js';
import {
  listMetas,
  type RunName,
  readGate,
  readLastNotice,
  rebuildThread,
  recordRun,
} from './rebuild-run.js';

/** Rebuilds a pull request and its run from GitHub. Safe to interrupt and repeat. */
export async function rebuildPull(
  tools: ListTools,
  repo: Repo,
  { pull, meta, name }: { pull: PullRequest; meta: Meta | undefined; name: RunName },
): Promise<void> {
  const { state, github } = tools;
  const { number: prNumber } = pull;
  const isOpen = pull.status === 'open';
  const own = isOpen ? await github.fetchThread(repo.config.fullName, prNumber) : undefined;
  const comments = own?.comments ?? [];
  const metas = listMetas(tools, repo, { thread: prNumber, comments });
  state.transaction(() => {
    if (state.readPull(repo.id, prNumber) === undefined) recordPull(tools, repo, { pull, name, metas });
    if (own !== undefined) noteTakeover(tools, repo, own.issue);
  });
  const known = state.readPull(repo.id, prNumber);
  if (isOpen && known !== undefined) {
    const { issueNumber } = known;
    const thread = await github.fetchThread(repo.config.fullName, issueNumber);
    const about = { issueNumber, comments: thread.comments, consumedUpTo: readGate(meta) };
    state.transaction(() => {
      noteTakeover(tools, repo, thread.issue);
      rebuildThread(tools, repo, about);
    });
  }
  // Reads the comments only after the block is restored, so that a later unblock command takes effect.
  if (!isOpen || known?.listedAt !== null) return;
  const { reviews } = await listPull(tools, repo, { pull: known });
  state.transaction(() => rebuildReviews(tools, known, reviews));
}

function recordPull(
  tools: ListTools,
  repo: Repo,
  { pull, name, metas }: { pull: PullRequest; name: RunName; metas: readonly Meta[] },
): void {
  const { state, now } = tools;
  const { number: prNumber, headRef: branch } = pull;
  const known = findRun(state, repo, name);
  if (known !== undefined && known.prNumber !== null) return;
  // The outbox is about to open the pull request, and will find the existing one.
  if (known !== undefined && state.readLiveTurnOfRun(known.id)?.state === 'speaking') return;
  const run = known ?? recordRun(tools, repo, { ...name, branch, title: pull.title, body: pull.body });
  if (run === undefined) return;
  if (known !== undefined) endStartTurn(tools, known, prNumber);
  // Ignores close notices, because closing a pull request does not end its block.
  const last = readLastNotice(metas.filter(({ kind }) => kind !== 'close_notice'));
  // Uses the head from the latest signed comment, so that the next check detects a later rewrite.
  const signedSha = metas.find(({ head }) => head !== undefined)?.head ?? pull.headSha;
  const status = restorePull(
    tools,
    { ...run, ordinal: name.ordinal },
    { pull, signedSha, isBlocked: last?.kind === 'block_notice', isEscalated: isEscalated(metas) },
  );
  if (status === 'merged' && name.flow === 'design_doc') markMerged(tools, repo.id, prNumber);
  const { id: runId, issueNumber } = run;
  const stateSummary = `The database with the earlier work was lost. Pull request: ${pull.title}`;
  if (state.readSession(runId) === undefined)
    state.saveSession({ runId, adapter: repo.config.agent.adapter, threadId: null, stateSummary }, now());
  const about = { repoId: repo.id, runId, issueNumber, prNumber };
  recordEvents(tools, [
    { type: 'state_rebuilt', ...about, payload: { status } },
    // A notice's key contains the number of these events, so each new notice gets a new key.
    ...metas.flatMap(({ kind }) => {
      const type = COUNTED.get(kind ?? '');
      return type === undefined ? [] : [{ type, ...about, payload: { rebuilt: true } }];
    }),
  ]);
}

/** Finds the run of a pull request. In a restored database, the run may not have its pull request yet. */
function findRun(state: State, repo: Repo, { issueNumber, flow, ordinal }: RunName): Run | undefined {
  const runs = state.listRunsOfIssue(repo.id, issueNumber).filter((run) => run.flow === flow);
  return (
    runs.find((run) => run.ordinal === ordinal) ?? runs.find((run) => run.prNumber === null && isLiveRun(run))
  );
}

function endStartTurn(tools: ListTools, run: Run, prNumber: number): void {
  const { state } = tools;
  const turn = state.readLiveTurnOfRun(run.id);
  if (turn !== undefined)
    endTurn(tools, turn, { end: 'cancelled', reason: `pull request #${prNumber} already exists` });
  state.deleteFollowup(run.repoId, run.issueNumber);
}

const COUNTED = new Map<string, RuntimeEventType>([
  ['block_notice', 'pull_blocked'],
  ['close_notice', 'pull_closed'],
  ['escalation_notice', 'review_escalated'],
]);

/** True if MergeXO asked a person to review, and nobody has resumed the review loop since then. */
function isEscalated(metas: readonly Meta[]): boolean {
  const last = metas.find(({ kind }) => kind === 'escalation_notice' || kind === 'resume_notice');
  return last?.kind === 'escalation_notice';
}
