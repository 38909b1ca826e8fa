import { describeChecks } from '@mergexo/core/ci';
import { ReviewFixContext, type Turn } from '@mergexo/core/turns';
import type { Resolver } from '@mergexo/github';
import type { Pull, StoredRound } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { endTurn } from '../lifecycle/end-turn.js';
import { dropFix } from '../lifecycle/review/end-fix.js';
import { dismissFindings } from '../lifecycle/review/human-review.js';
import type { Refreshed } from '../refreshed.js';
import { checkHead } from '../threads/check-head.js';
import { fetchResolved, findDismissed } from '../threads/find-dismissed.js';
import { listPull, type Snapshot } from '../threads/list-pull.js';
import { findReview, listAsked } from '../threads/read-asked-findings.js';
import { readDiscussion } from '../threads/read-discussion.js';
import { hideDistrusted, isAllowedLogin } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';
import { enterTurn } from './refresh-review.js';
import { type RefreshTools, within } from './refresh-tools.js';

/** Time limit for reading the review. A worker that times out earlier asks again and joins the same check. */
const READING_MS = 30_000;

/** Before the agent starts, checks that the head is still the reviewed commit, and removes dismissed findings. */
export async function refreshFix(
  tools: RefreshTools,
  repo: Repo,
  { turn, pull: seen }: { turn: Turn; pull: Pull },
): Promise<Refreshed> {
  const { state, github } = tools;
  const { fullName } = repo.config;
  const read = await readAgain(tools, repo, seen);
  const { headSha, status, labels } =
    read?.snapshot.pull ?? (await github.fetchPull(fullName, seen.prNumber));
  const head = await checkHead(tools, fullName, { pull: seen, observedSha: headSha });
  const isBranchGone = status === 'closed' && (await github.fetchBranchHead(fullName, seen.branch)) === null;
  return state.transaction((): Refreshed => {
    const known = state.readTurn(turn.turnKey);
    if (isBranchGone && known?.planDigest === null)
      dropFix(tools, { ...known, reason: 'the branch was deleted' }, 'branch_gone');
    const entered = enterTurn(tools, repo, { turn, headSha, status, head, labels });
    if (entered.kind !== 'entered' || turn.planDigest !== null)
      return entered.kind === 'entered' ? { kind: 'fresh' } : entered;
    dismissFindings(tools, read?.dismissed ?? []);
    const context = ReviewFixContext.parse(state.readTurnContext(turn.turnKey));
    const round = state.listReviewRounds(repo.id, seen.prNumber).find((other) => other.headSha === headSha);
    if (round === undefined || !isBlocked(tools, entered.pull, round)) {
      const reason = 'people dismissed every blocking finding';
      endTurn(tools, entered.turn, { end: 'cancelled', reason });
      return { kind: 'refused', reason };
    }
    const comments = read?.snapshot.reviewComments ?? [];
    const asked = listAsked(tools, entered.pull, { round, comments });
    const fresh = read && {
      findings: asked,
      review: findReview(tools, entered.pull, { round, reviews: read.snapshot.reviews }),
      discussion: readDiscussion(tools, repo, { pull: entered.pull, ...read }),
    };
    // If GitHub could not be read, the fix uses the stored findings except those that a command dismissed.
    const findings = context.findings.filter(({ id }) => asked.some((finding) => finding.id === id));
    const kept = keepAllowed(repo, context);
    const checks = describeChecks(entered.pull.checks, headSha);
    state.saveTurnContext(turn.turnKey, { ...context, ...kept, checks, findings, ...fresh });
    return { kind: 'fresh' };
  });
}

/** Removes texts whose author was removed from `allowed_users` since the turn opened. */
function keepAllowed(
  repo: Repo,
  { issue, discussion, linked }: ReviewFixContext,
): Pick<ReviewFixContext, 'issue' | 'discussion' | 'linked'> {
  const isAllowed = ({ author }: { author: string }): boolean => isAllowedLogin(repo, author);
  const entries = discussion.entries.filter(isAllowed);
  return {
    issue: hideDistrusted(repo, issue),
    discussion: { ...discussion, entries },
    linked: linked.filter(isAllowed),
  };
}

function isBlocked({ state }: RefreshTools, { repoId, prNumber }: Pull, { blocking }: StoredRound): boolean {
  const known = state.listReviewFindings(repoId, prNumber);
  return (blocking ?? []).some(
    ({ fingerprint }) => known.find((finding) => finding.fingerprint === fingerprint)?.status !== 'dismissed',
  );
}

type Read = { snapshot: Snapshot; dismissed: readonly number[]; resolved: ReadonlyMap<number, Resolver> };

/**
 * Reads edited and dismissed findings. Returns undefined on a failure or timeout; the fix then uses the stored
 * findings.
 */
async function readAgain(tools: RefreshTools, repo: Repo, seen: Pull): Promise<Read | undefined> {
  const about = {
    message: 'could not read the review again; the fix uses the stored findings',
    pr_number: seen.prNumber,
  };
  const read = async (): Promise<Read> => {
    // Lists the comments again, because people may have edited a finding since the last poll.
    const snapshot = await listPull(tools, repo, { pull: seen, relistsLines: true });
    const resolved = await fetchResolved(tools, repo, snapshot);
    const dismissed = await findDismissed(tools, repo, { pull: seen, snapshot, resolved });
    return { snapshot, dismissed, resolved };
  };
  return skipUnreadable(tools.log, about, () => within(read(), READING_MS));
}
