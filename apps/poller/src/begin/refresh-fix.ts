import { ReviewFixContext, type Turn } from '@mergexo/core/turns';
import type { Pull, StoredRound } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { dropFix } from '../lifecycle/review/end-fix.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import type { Refreshed } from '../refreshed.js';
import { checkHead } from '../threads/check-head.js';
import { findDismissed } from '../threads/find-dismissed.js';
import { listPull, type Snapshot } from '../threads/list-pull.js';
import { findReview, listAsked } from '../threads/read-asked-findings.js';
import type { Repo } from '../tools.js';
import { enterTurn } from './refresh-review.js';
import { type RefreshTools, within } from './refresh-tools.js';

/** For so long the review is read again. A worker that waits less asks again, and joins the same look. */
const READING_MS = 30_000;

/** Right before the agent is asked: the head must be the reviewed one, and what people took back is left out. */
export async function refreshFix(
  tools: RefreshTools,
  repo: Repo,
  turn: Turn,
  seen: Pull,
): Promise<Refreshed> {
  const { state, github } = tools;
  const { fullName } = repo.config;
  const { headSha, status } = await github.fetchPull(fullName, seen.prNumber);
  const { labels } = await github.fetchIssue(fullName, seen.prNumber);
  const head = await checkHead(tools, fullName, seen, headSha);
  const isBranchGone = status === 'closed' && (await github.fetchBranchHead(fullName, seen.branch)) === null;
  const read = status === 'open' ? await readAgain(tools, repo, seen) : undefined;
  return state.transaction((): Refreshed => {
    const known = state.readTurn(turn.turnKey);
    if (isBranchGone && known?.planDigest === null)
      dropFix(tools, { ...known, reason: 'the branch is gone' }, 'branch_gone');
    const entered = enterTurn(tools, repo, turn, { headSha, status, head, labels });
    if (entered.kind !== 'entered' || turn.planDigest !== null)
      return entered.kind === 'entered' ? { kind: 'fresh' } : entered;
    dismissFindings(tools, read?.dismissed ?? []);
    const context = ReviewFixContext.parse(state.readTurnContext(turn.turnKey));
    const round = state.listReviewRounds(repo.id, seen.prNumber).find((other) => other.headSha === headSha);
    if (round === undefined || !isBlocked(tools, entered.pull, round)) {
      const reason = 'people took back all that it was to mend';
      endTurn(tools, entered.turn, 'cancelled', reason);
      return { kind: 'refused', reason };
    }
    const comments = read?.snapshot.reviewComments ?? [];
    const asked = listAsked(tools, entered.pull, { round, comments });
    const fresh = read && {
      findings: asked,
      review: findReview(tools, repo, entered.pull, { round, reviews: read.snapshot.reviews }),
    };
    // The stored texts, without those that a command dismissed since.
    const findings = context.findings.filter(({ id }) => asked.some((finding) => finding.id === id));
    state.saveTurnContext(turn.turnKey, { ...context, findings, ...fresh });
    return { kind: 'fresh' };
  });
}

function isBlocked({ state }: RefreshTools, { repoId, prNumber }: Pull, { blocking }: StoredRound): boolean {
  const known = state.listReviewFindings(repoId, prNumber);
  return (blocking ?? []).some(
    ({ fingerprint }) => known.find((finding) => finding.fingerprint === fingerprint)?.status !== 'dismissed',
  );
}

type Read = { snapshot: Snapshot; dismissed: readonly number[] };

/** What people edited and took back. Undefined where that cannot be read in time: then the findings are those that we know. */
async function readAgain(tools: RefreshTools, repo: Repo, seen: Pull): Promise<Read | undefined> {
  const about = {
    message: 'the review could not be read again; the fix uses the stored findings',
    pr_number: seen.prNumber,
  };
  const read = async (): Promise<Read> => {
    const snapshot = await listPull(tools, repo, seen);
    return { snapshot, dismissed: await findDismissed(tools, repo, seen, snapshot) };
  };
  return skipUnreadable(tools.log, about, () => within(read(), READING_MS));
}
