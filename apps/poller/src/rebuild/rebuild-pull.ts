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
import { gateOf, listMetas, type RunName, readLastNotice, rebuildThread, recordRun } from './rebuild-run.js';

/** Can be interrupted anywhere and begun again: what is there is gone on with. */
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
  const metas = listMetas(tools, repo, prNumber, comments);
  state.transaction(() => {
    if (state.readPull(repo.id, prNumber) === undefined) recordPull(tools, repo, pull, { name, metas });
    if (own !== undefined) noteTakeover(tools, repo, own.issue);
  });
  const known = state.readPull(repo.id, prNumber);
  if (isOpen && known !== undefined) {
    const { issueNumber } = known;
    const thread = await github.fetchThread(repo.config.fullName, issueNumber);
    const about = { issueNumber, comments: thread.comments, consumedUpTo: gateOf(meta) };
    state.transaction(() => {
      noteTakeover(tools, repo, thread.issue);
      rebuildThread(tools, repo, about);
    });
  }
  // Whoever was blocked is blocked by now, so that a later command finds it so.
  if (!isOpen || known?.listedAt !== null) return;
  const { reviews } = await listPull(tools, repo, known);
  state.transaction(() => rebuildReviews(tools, repo, known, reviews));
}

function recordPull(
  tools: ListTools,
  repo: Repo,
  pull: PullRequest,
  { name, metas }: { name: RunName; metas: readonly Meta[] },
): void {
  const { state, now } = tools;
  const { number: prNumber, headRef: branch } = pull;
  const known = findRun(state, repo, name);
  if (known !== undefined && known.prNumber !== null) return;
  // Its turn is about to open the pull request, and finds this one.
  if (known !== undefined && state.readLiveTurnOfRun(known.id)?.state === 'speaking') return;
  const run = known ?? recordRun(tools, repo, { ...name, branch, title: pull.title, body: pull.body });
  if (run === undefined) return;
  if (known !== undefined) stopStart(tools, known, prNumber);
  // A block outlives a closing.
  const last = readLastNotice(metas.filter(({ kind }) => kind !== 'close_notice'));
  // The head that we signed last, so that a rewrite during the loss is found.
  const signedSha = metas.find(({ head }) => head !== undefined)?.head ?? pull.headSha;
  const status = restorePull(
    tools,
    { ...run, ordinal: name.ordinal },
    {
      pull,
      signedSha,
      isBlocked: last?.kind === 'block_notice',
      isEscalated: isEscalated(metas),
    },
  );
  if (status === 'merged' && name.flow === 'design_doc') markMerged(tools, repo.id, prNumber);
  const { id: runId, issueNumber } = run;
  const stateSummary = `The records of earlier work were lost. Pull request: ${pull.title}`;
  if (state.readSession(runId) === undefined)
    state.saveSession({ runId, adapter: repo.config.agent.adapter, threadId: null, stateSummary }, now());
  const about = { repoId: repo.id, runId, issueNumber, prNumber };
  recordEvents(tools, [
    { type: 'state_rebuilt', ...about, payload: { status } },
    // They number what is said of each: the next one must not be taken for one of these.
    ...metas.flatMap(({ kind }) => {
      const type = COUNTED.get(kind ?? '');
      return type === undefined ? [] : [{ type, ...about, payload: { rebuilt: true } }];
    }),
  ]);
}

/** In a restored copy of the database the run may still be at work on what the pull request already has. */
function findRun(state: State, repo: Repo, { issueNumber, flow, ordinal }: RunName): Run | undefined {
  const runs = state.listRunsOfIssue(repo.id, issueNumber).filter((run) => run.flow === flow);
  return (
    runs.find((run) => run.ordinal === ordinal) ?? runs.find((run) => run.prNumber === null && isLiveRun(run))
  );
}

function stopStart(tools: ListTools, run: Run, prNumber: number): void {
  const { state } = tools;
  const turn = state.readLiveTurnOfRun(run.id);
  if (turn !== undefined) endTurn(tools, turn, 'cancelled', `pull request #${prNumber} is there already`);
  state.deleteFollowup(run.repoId, run.issueNumber);
}

const COUNTED = new Map<string, RuntimeEventType>([
  ['block_notice', 'pull_blocked'],
  ['close_notice', 'pull_closed'],
  ['escalation_notice', 'review_escalated'],
]);

/** A person was asked to review, and nobody has let it go on since. */
function isEscalated(metas: readonly Meta[]): boolean {
  const last = metas.find(({ kind }) => kind === 'escalation_notice' || kind === 'resume_notice');
  return last?.kind === 'escalation_notice';
}
