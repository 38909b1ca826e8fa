import { type Finding, judgeRound, readPatch } from '@mergexo/core/review';
import {
  buildReviewResult,
  ReviewContext,
  ReviewFixContext,
  type ReviewFixResult,
} from '@mergexo/core/turns';
import { NAME, type Stage } from './stage.js';

export function aFinding(overrides: Partial<Finding> = {}): Finding {
  return {
    path: 'fix.txt',
    line: 1,
    severity: 'high',
    category: 'security',
    body: 'The first line trusts whatever comes in.',
    suggestion: null,
    ...overrides,
  };
}

export type Look = (context: ReviewContext) => readonly Finding[] | Promise<readonly Finding[]>;

/** What a worker makes of a reviewer's findings: they are matched, placed on the diff and frozen. */
export function playReview(stage: Stage, look: Look, summary = 'Read all of it.') {
  return stage.perform(['review'], async (begun) => {
    const context = ReviewContext.parse(begun.context);
    const findings = await look(context);
    const { round, earlier, policy, headSha, pull } = context;
    const { files } = await stage.github.fetchPullFiles(NAME, pull.number);
    const lines = new Map(files.map(({ path, patch }) => [path, readPatch(patch ?? '')]));
    const judgement = judgeRound({ round, findings, earlier, lines, policy });
    return { result: buildReviewResult({ headSha, summary }, judgement), commit: null };
  });
}

export type Answer = Pick<ReviewFixResult['answers'][number], 'resolution' | 'note'>;

export type Mend = {
  /** Written and pushed; nothing is without them. */
  files?: Record<string, string>;
  answer?: (id: number) => Answer;
  failure?: NonNullable<ReviewFixResult['failure']>;
  /** What the push ends with. */
  outcome?: 'pushed' | 'superseded' | 'refused';
  onBegun?: (context: ReviewFixContext) => unknown;
  stateSummary?: string;
};

/** What a worker makes of a fix: a commit on the branch, and an answer to each finding. */
export function playFix(stage: Stage, mend: Mend) {
  return stage.perform(['review_fix'], async (begun) => {
    const context = ReviewFixContext.parse(begun.context);
    await mend.onBegun?.(context);
    const { branch, headSha: startSha } = context;
    const { files } = mend;
    const isPushed = files !== undefined && (mend.outcome ?? 'pushed') === 'pushed';
    const sha = isPushed ? await stage.twin.as('robot').pushFiles(NAME, branch, files) : 'f'.repeat(40);
    const answer = mend.answer ?? ((): Answer => ({ resolution: 'fixed', note: 'Mended.' }));
    const result: ReviewFixResult = {
      kind: 'fix',
      answers: context.findings.map(({ id, path }) => ({
        id,
        ...answer(id),
        touchesFile: files !== undefined && path in files,
      })),
      summary: 'Looked at each of them.',
      failure:
        files === undefined ? (mend.failure ?? { cause: 'no_changes', reason: 'No file changed.' }) : null,
    };
    const commit = files === undefined ? null : { branch, startSha, sha };
    const { outcome, stateSummary } = mend;
    return { result, commit, ...(outcome && { outcome }), ...(stateSummary && { stateSummary }) };
  });
}
