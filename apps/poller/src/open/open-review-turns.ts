import { failpoint } from '@mergexo/core/basics';
import { buildReviewEvent, countFixesLeft, decideReview, type ReviewProgress } from '@mergexo/core/review';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { type Links, type ReviewContext, ReviewFixContext } from '@mergexo/core/turns';
import type { Pull } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { approveDismissed } from '../lifecycle/review/approve-dismissed.js';
import { openRound } from '../lifecycle/review/complete-round.js';
import { listDue, readProgress } from '../lifecycle/review/read-progress.js';
import { recordTurn } from '../lifecycle/turn.js';
import { readDiscussion } from '../threads/read-discussion.js';
import type { Repo } from '../tools.js';
import { buildTurn } from './build-turn.js';
import { describePull } from './describe-pull.js';
import { enterPull, type Look, type LookTools, lookAtPull } from './look-at-pull.js';
import { readLinks } from './read-background.js';

/** Opens a turn for each pull request with an unreviewed head. An unreadable one does not delay the others. */
export async function openReviewTurns(tools: LookTools, repo: Repo): Promise<void> {
  for (const { pull, decision } of listDue(tools, repo))
    if (decision.kind === 'lift') tools.state.transaction(() => approveDismissed(tools, pull, decision));
  const due = listDue(tools, repo).filter(({ decision }) => decision.kind === 'review');
  for (const { pull } of due) {
    await skipUnreadable(
      tools.log,
      {
        message: 'could not read a pull request that needs a review; MergeXO retries in the next cycle',
        pr_number: pull.prNumber,
      },
      () => openReviewTurn(tools, repo, pull),
    );
  }
}

async function openReviewTurn(tools: LookTools, repo: Repo, seen: Pull): Promise<void> {
  const look = await lookAtPull(tools, repo, seen);
  const links = await readLinks(tools, repo, look);
  tools.state.transaction(() => {
    const entered = enterPull(tools, repo, look);
    if (entered === undefined) return;
    // Decides the next step again, because `lookAtPull` may have recorded new comments or another head.
    const progress = readProgress(tools, repo, entered.pull);
    const decision = decideReview(progress);
    if (decision.kind === 'review')
      record(tools, { repo, ...entered, look, links, progress, cycle: decision.cycle });
  });
  failpoint('poller:turn-opened');
}

type Material = NonNullable<ReturnType<typeof enterPull>> & {
  repo: Repo;
  look: Look;
  links: Links;
  progress: ReviewProgress;
  cycle: number;
};

function record(tools: LookTools, material: Material): void {
  const { pull, cycle } = material;
  const { repoId, prNumber } = pull;
  const context = buildContext(tools, material);
  const { headSha, round } = context;
  const turn = buildTurn(tools, { ...pull, kind: 'review' }, [headSha, cycle]);
  if (!recordTurn(tools, turn, context)) return;
  const { turnKey } = turn;
  openRound(tools, { repoId, prNumber, headSha, fixCycle: cycle, turnKey });
  recordEvents(tools, [buildTurnEvent('turn_opened', turn, { head: headSha, round, fix_cycle: cycle })]);
  if (cycle > 0) noteReReview(tools, pull, { headSha, cycle, turnKey });
}

function buildContext(tools: LookTools, material: Material): ReviewContext {
  const { repo, pull, look, links, progress } = material;
  const { blockingSeverity, maxFindings, verify } = repo.config.review;
  const judged = progress.rounds.filter(({ verdict }) => verdict !== null);
  return {
    ...describePull(repo, material, look),
    ...links,
    discussion: readDiscussion(tools, repo, { pull, ...look }),
    reviewedSha: judged.at(-1)?.headSha ?? null,
    round: judged.length + 1,
    earlier: tools.state.listEarlierFindings(repo.id, pull.prNumber),
    policy: { blockingSeverity, maxFindings, verify },
    fixesLeft: countFixesLeft(progress),
  };
}

/** Records that the new review checks an earlier fix. */
function noteReReview(
  tools: LookTools,
  { repoId, runId, issueNumber, prNumber }: Pull,
  { headSha, cycle, turnKey }: { headSha: string; cycle: number; turnKey: string },
): void {
  const last = tools.state
    .listReviewFixes(repoId, prNumber)
    .findLast(({ outcome }) => outcome !== 'superseded');
  if (last === undefined) return;
  const { metadata } = ReviewFixContext.parse(tools.state.readTurnContext(last.turnKey));
  const about = { repoId, runId, issueNumber, prNumber, turnKey };
  recordEvents(tools, [
    buildReviewEvent('re_review_created', about, {
      head_sha: headSha,
      metadata: { ...metadata, fix_cycle: cycle },
    }),
  ]);
}
