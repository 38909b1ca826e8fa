import { planNotice } from '@mergexo/core/actions';
import {
  buildReviewEvent,
  type ReviewDecision,
  type ReviewProgress,
  renderEscalation,
} from '@mergexo/core/review';
import type { Pull, State } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import { requireHumanReview } from '../lifecycle/review/human-review.js';
import type { Records, Repo, Self } from '../tools.js';

type Tools = Records & { viewer: Self };
type Decision = Extract<ReviewDecision, { kind: 'escalate' }>;

/** Stops the review loop until a person resumes it, and posts one notice. Requires a transaction. */
export function escalate(
  tools: Tools,
  repo: Repo,
  { pull, decision, progress }: { pull: Pull; decision: Decision; progress: ReviewProgress },
): void {
  const { state, now } = tools;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const { escalation, text } = decision;
  const { maxFixCycles, escalationLabel } = repo.config.review;
  const ordinal = ESCALATED.reduce((sum, type) => sum + state.countEventsOfPull(repoId, prNumber, type), 0);
  requireHumanReview(tools, pull);
  const about = { repoId, runId, thread: prNumber, cause: [escalation, progress.headSha, ordinal] };
  const login = chooseReviewer(tools, repo);
  state.recordActions(
    [
      planNotice({
        ...about,
        kind: 'escalation_notice',
        payload: { text: describe(tools, pull, { decision, progress }) },
      }),
      planNotice({ ...about, kind: 'escalation_label', payload: { label: escalationLabel } }),
      ...(login === undefined ? [] : [planNotice({ ...about, kind: 'review_request', payload: { login } })]),
    ],
    now(),
  );
  const type = escalation === 'max_fix_cycles_exceeded' ? escalation : 'review_escalated';
  recordEvents(tools, [
    buildReviewEvent(
      type,
      { repoId, runId, issueNumber, prNumber },
      {
        kind: escalation,
        text,
        fix_cycle: progress.fixes.filter(({ outcome }) => outcome !== 'superseded').length,
        max_fix_cycles: maxFixCycles,
        human_review_required: true,
      },
    ),
  ]);
}

const ESCALATED = ['max_fix_cycles_exceeded', 'review_escalated'] as const;

/** Skips MergeXO's own login, because GitHub does not accept a review request for the author of a pull request. */
function chooseReviewer({ viewer }: Tools, { config }: Repo): string | undefined {
  return config.operatorLogins.find((login) => login.toLowerCase() !== viewer.login.toLowerCase());
}

function describe(
  { state }: Tools,
  { repoId, runId, prNumber }: Pull,
  { decision, progress }: { decision: Decision; progress: ReviewProgress },
): string {
  const judged = progress.rounds.filter(({ verdict }) => verdict !== null);
  const last = judged.at(-1);
  const blocking = new Set(last?.blocking.map(({ fingerprint }) => fingerprint));
  const open = state
    .listReviewFindings(repoId, prNumber)
    .filter(({ fingerprint, status }) => blocking.has(fingerprint) && status !== 'dismissed');
  return renderEscalation(
    {
      text: decision.text,
      rounds: judged.length,
      fixes: progress.fixes.filter(({ outcome }) => outcome === 'pushed').length,
      failure: explainFailure(state, { repoId, prNumber }, decision),
      open,
      costUsd: state.sumSpendOfRun(runId, 0).costUsd,
      maxFixCycles: progress.maxFixCycles,
    },
    // Returns the text unchanged: stored text contains no secrets, and the outbox redacts every post again.
    (words) => words,
  );
}

function explainFailure(
  state: State,
  { repoId, prNumber }: Pick<Pull, 'repoId' | 'prNumber'>,
  { escalation }: Decision,
): string | null {
  if (escalation === 'fix_failed')
    return (
      state.listReviewFixes(repoId, prNumber).findLast(({ outcome }) => outcome === 'failed')?.reason ?? null
    );
  if (escalation !== 'review_failed') return null;
  const failed = state.listReviewRounds(repoId, prNumber).findLast((round) => round.state === 'failed');
  return failed?.turnKey ? (state.readTurn(failed.turnKey)?.reason ?? null) : null;
}
