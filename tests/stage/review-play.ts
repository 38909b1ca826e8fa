import {
  type Checks,
  decideRound,
  listUnresolved,
  matchRound,
  type ReportedFinding,
  readPatch,
} from '@mergexo/core/review';
import {
  buildReviewResult,
  ReviewContext,
  ReviewFixContext,
  type ReviewFixResult,
} from '@mergexo/core/turns';
import { NAME, type Stage } from './stage.js';

export function aFinding(overrides: Partial<ReportedFinding> = {}): ReportedFinding {
  return {
    path: 'fix.txt',
    startLine: null,
    line: 1,
    severity: 'high',
    category: 'security',
    introduced: true,
    body: 'The first line does not validate its input.',
    suggestion: null,
    ...overrides,
  };
}

/** Makes GitHub apply the next review but lose the response. */
export function loseReviewAnswer({ twin }: Stage): void {
  const route = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
  twin.control.fault({ kind: 'error', status: 502, when: 'after', route, times: 1 });
}

export type Look = (
  context: ReviewContext,
) => readonly ReportedFinding[] | Promise<readonly ReportedFinding[]>;

/** The second agent's result for each suspected finding, and the reviewer's result for earlier findings. */
export type PlayedReview = {
  summary?: string;
  check?: (finding: ReportedFinding) => 'confirmed' | 'refuted' | undefined;
  /** The status that the reviewer reports for the findings of the previous round; `fixed` by default. */
  earlier?: 'holds' | 'fixed' | 'forgotten';
};

/** Plays a worker's review: matches and verifies the findings, places them on the diff and freezes the plan. */
export function playReview(stage: Stage, look: Look, played: PlayedReview = {}) {
  const { summary = 'Read all of it.', check = () => 'confirmed', earlier: said = 'fixed' } = played;
  return stage.perform(['review'], async (begun) => {
    const context = ReviewContext.parse(begun.context);
    const findings = await look(context);
    const { round, earlier, policy, headSha, pull } = context;
    const { files } = await stage.github.fetchPullFiles(NAME, pull.number);
    const lines = new Map(files.map(({ path, patch }) => [path, readPatch(patch ?? '')]));
    const answers = listUnresolved(earlier, round).flatMap(({ id }) =>
      said === 'forgotten' ? [] : [{ id, status: said, line: null, evidence: `Checked finding ${id}.` }],
    );
    const matched = matchRound({ round, findings, answers, earlier, lines, policy });
    const checks: Checks = new Map(
      (policy.verify ? matched.suspects : []).flatMap(({ fingerprint, finding }) => {
        const status = check(finding);
        return status === undefined ? [] : [[fingerprint, { status, evidence: `Read ${finding.path}.` }]];
      }),
    );
    const result = buildReviewResult({ headSha, summary, answers }, decideRound(matched, checks));
    return { result, commit: null };
  });
}

export type Answer = Pick<ReviewFixResult['answers'][number], 'resolution' | 'note'>;

export type PlayedFix = {
  /** Files that the fix writes and pushes. Without files, the fix pushes nothing. */
  files?: Record<string, string>;
  answer?: (id: number) => Answer;
  failure?: NonNullable<ReviewFixResult['failure']>;
  /** Outcome of the push, `pushed` by default. */
  outcome?: 'pushed' | 'superseded' | 'refused';
  onBegun?: (context: ReviewFixContext) => unknown;
  stateSummary?: string;
};

/** Plays a worker's fix: pushes a commit to the branch, and answers each finding. */
export function playFix(stage: Stage, fix: PlayedFix) {
  return stage.perform(['review_fix'], async (begun) => {
    const context = ReviewFixContext.parse(begun.context);
    await fix.onBegun?.(context);
    const { branch, headSha: startSha } = context;
    const { files } = fix;
    const isPushed = files !== undefined && (fix.outcome ?? 'pushed') === 'pushed';
    const sha = isPushed ? await stage.twin.as('robot').pushFiles(NAME, branch, files) : 'f'.repeat(40);
    const answer = fix.answer ?? ((): Answer => ({ resolution: 'fixed', note: 'Done.' }));
    const result: ReviewFixResult = {
      kind: 'fix',
      answers: context.findings.map(({ id, path }) => ({
        id,
        ...answer(id),
        touchesFile: files !== undefined && path in files,
      })),
      summary: 'Looked at each of them.',
      failure:
        files === undefined ? (fix.failure ?? { cause: 'no_changes', reason: 'No file changed.' }) : null,
    };
    const commit = files === undefined ? null : { branch, startSha, sha };
    const { outcome, stateSummary } = fix;
    return { result, commit, ...(outcome && { outcome }), ...(stateSummary && { stateSummary }) };
  });
}
