import { failpoint } from '@mergexo/core/basics';
import { buildFixMetadata, buildReviewEvent, decideReview } from '@mergexo/core/review';
import { buildTurnEvent } from '@mergexo/core/timeline';
import type { Links, ReviewFixContext } from '@mergexo/core/turns';
import type { Pull, StoredRound } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import { type Due, listDue, readProgress } from '../lifecycle/review/read-progress.js';
import { recordTurn } from '../lifecycle/turn.js';
import { findReview, listAsked } from '../threads/read-asked-findings.js';
import { readDiscussion } from '../threads/read-discussion.js';
import type { Repo } from '../tools.js';
import { buildTurn } from './build-turn.js';
import { describePull } from './describe-pull.js';
import { escalate } from './escalate.js';
import { enterPull, type Look, type LookTools, lookAtPull } from './look-at-pull.js';
import { readLinks } from './read-background.js';

/**
 * After a review that requested changes, opens a fix or escalates to a person. Decides from the database alone, so that
 * running it again changes nothing.
 */
export async function openFixTurns(tools: LookTools, repo: Repo): Promise<void> {
  for (const due of listDue(tools, repo)) {
    await skipUnreadable(
      tools.log,
      {
        message: 'could not read a pull request that needs a fix; MergeXO retries in the next cycle',
        pr_number: due.pull.prNumber,
      },
      () => follow(tools, repo, due),
    );
  }
}

async function follow(tools: LookTools, repo: Repo, { pull, decision }: Due): Promise<void> {
  switch (decision.kind) {
    case 'review':
    case 'lift':
      return;
    case 'escalate':
      await askPerson(tools, repo, pull);
      return;
    case 'fix':
      await openFixTurn(tools, repo, pull);
  }
}

/** Reads dismissed findings first, so that the escalation does not mention them. */
async function askPerson(tools: LookTools, repo: Repo, seen: Pull): Promise<void> {
  const { state } = tools;
  const { dismissed } = await lookAtPull(tools, repo, seen);
  state.transaction(() => {
    dismissFindings(tools, dismissed);
    const pull = state.readPull(repo.id, seen.prNumber);
    if (pull === undefined) return;
    const progress = readProgress(tools, repo, pull);
    const decision = decideReview(progress);
    if (decision.kind === 'escalate') escalate(tools, repo, { pull, decision, progress });
  });
}

async function openFixTurn(tools: LookTools, repo: Repo, seen: Pull): Promise<void> {
  // Without a review that requested changes, there is nothing to fix.
  if (tools.state.countEventsOfPull(repo.id, seen.prNumber, 'work_rejected') === 0) return;
  const look = await lookAtPull(tools, repo, seen);
  const links = await readLinks(tools, repo, look);
  tools.state.transaction(() => {
    const entered = enterPull(tools, repo, look);
    if (entered === undefined) return;
    const decision = decideReview(readProgress(tools, repo, entered.pull));
    if (decision.kind !== 'fix') return;
    const round = tools.state.readReviewRound(decision.roundId);
    if (round !== undefined) record(tools, { repo, ...entered, look, links, round, cycle: decision.cycle });
  });
  failpoint('poller:turn-opened');
}

type Material = NonNullable<ReturnType<typeof enterPull>> & {
  repo: Repo;
  look: Look;
  links: Links;
  round: StoredRound;
  cycle: number;
};

function record(tools: LookTools, material: Material): void {
  const { pull, round, cycle } = material;
  const { headSha } = round;
  const context = buildContext(tools, material);
  const turn = buildTurn(tools, { ...pull, kind: 'review_fix' }, [headSha, cycle]);
  if (!recordTurn(tools, turn, context)) return;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const about = { repoId, runId, issueNumber, prNumber, turnKey: turn.turnKey };
  const { metadata, findings } = context;
  recordEvents(tools, [
    buildTurnEvent('turn_opened', turn, { head: headSha, findings: findings.length, fix_cycle: cycle }),
    buildReviewEvent('review_fix_created', about, { round_id: round.id, head_sha: headSha, metadata }),
  ]);
}

function buildContext(tools: LookTools, material: Material): ReviewFixContext {
  const { repo, pull, run, look, links, round, cycle } = material;
  const { repoId, prNumber, branch } = pull;
  const session = tools.state.readSession(run.id);
  const findings = listAsked(tools, pull, { round, comments: look.snapshot.reviewComments });
  return {
    ...describePull(repo, material, look),
    ...links,
    discussion: readDiscussion(tools, repo, { pull, ...look }),
    metadata: buildFixMetadata({
      prNumber,
      repo: repo.config.fullName,
      repoId,
      branch,
      // The slot is null, because the worker leases one when the turn starts.
      slot: null,
      cycle,
      maxFixCycles: repo.config.review.maxFixCycles,
      runId: run.id,
      comments: { summary: round.summary ?? '', findings },
    }),
    review: findReview(tools, pull, { round, reviews: look.snapshot.reviews }),
    findings,
    session: session === undefined ? null : { adapter: session.adapter, threadId: session.threadId },
    stateSummary: session?.stateSummary ?? '',
  };
}
