import { z } from 'zod';
import { Sha } from '../../basics/sha.js';
import type { Judgement } from '../../review/decide-round.js';
import type { RaisedFinding } from '../../review/findings/choose-findings.js';
import type { InlineFinding, Placement } from '../../review/findings/place-findings.js';
import { MAX_FINDINGS, REVIEW_CATEGORIES, SEVERITIES } from './review-output.js';

/** Maximum length in UTF-16 units. The agent's limit of 10,000 code points may need twice as many units. */
export const MAX_FINDING_TEXT = 20_000;
export const MAX_FINDING_PATH = 1_000;
export const MAX_EVIDENCE = 4_000;
/** Maximum number of findings that a round considers: all of the previous round, and all that the agent reports. */
const MAX_CONSIDERED = 2 * MAX_FINDINGS;

const Fingerprint = z.string().min(1).max(64);
const Id = z.int().min(1);

const Finding = {
  path: z.string().min(1).max(MAX_FINDING_PATH),
  startLine: z.int().min(1).nullable().default(null),
  line: z.int().min(1).nullable(),
  severity: z.enum(SEVERITIES),
  category: z.enum(REVIEW_CATEGORIES),
  body: z.string().min(1).max(MAX_FINDING_TEXT),
  suggestion: z.string().min(1).max(MAX_FINDING_TEXT).nullable(),
};

const Raised = z.strictObject({
  ...Finding,
  fingerprint: Fingerprint,
  origin: z.enum(['new', 'known', 'regressed']),
  earlierId: Id.nullable(),
  status: z.literal('open'),
  verified: z.boolean().nullable().default(null),
});

const Dropped = (maxReason: number) =>
  z
    .array(z.strictObject({ finding: z.strictObject(Finding), reason: z.string().max(maxReason) }))
    .max(MAX_CONSIDERED);

const Names = z.array(Fingerprint).max(MAX_FINDINGS);

/** The result of a review. It has no verdict, because readers compute the verdict from the findings and the policy. */
export const ReviewResult = z
  .strictObject({
    kind: z.literal('review'),
    headSha: Sha,
    summary: z.string().max(64_000),
    raised: z.array(Raised).max(MAX_FINDINGS),
    /** Findings that do not block, because the change did not introduce them or nobody confirmed that it did. */
    notes: Dropped(200).default([]),
    /** Findings that a second agent refuted. The reason is its evidence. */
    refuted: Dropped(MAX_EVIDENCE).default([]),
    dropped: Dropped(200),
    /** The reviewer's answers about the findings of the previous round. */
    answers: z
      .array(
        z.strictObject({
          id: Id,
          status: z.enum(['holds', 'fixed']),
          evidence: z.string().max(MAX_EVIDENCE),
        }),
      )
      .max(MAX_CONSIDERED)
      .default([]),
    /** Ids of earlier findings that are fixed or refuted. */
    gone: z.array(Id).max(1_000),
    /** The fingerprints of the raised findings, by their place in the review. */
    placement: z.strictObject({ inline: Names, demoted: Names, standing: Names, nits: Names, hidden: Names }),
  })
  .refine(
    ({ raised, placement }) =>
      isSame(
        raised.map(({ fingerprint }) => fingerprint),
        Object.values(placement).flat(),
      ),
    'each raised finding must appear in exactly one place',
  );
export type ReviewResult = z.infer<typeof ReviewResult>;

export function buildReviewResult(
  { headSha, summary, answers }: Pick<ReviewResult, 'headSha' | 'summary' | 'answers'>,
  { raised, notes, refuted, dropped, gone, placement }: Judgement,
): ReviewResult {
  const name = (findings: readonly RaisedFinding[]) => findings.map(({ fingerprint }) => fingerprint);
  return {
    kind: 'review',
    headSha,
    summary,
    raised: [...raised],
    notes: [...notes],
    refuted: refuted.map(({ finding, reason }) => ({ finding, reason })),
    dropped: [...dropped],
    answers: answers.map(({ id, status, evidence }) => ({ id, status, evidence })),
    gone: [...gone],
    placement: {
      inline: name(placement.inline),
      demoted: name(placement.demoted),
      standing: name(placement.standing),
      nits: name(placement.nits),
      hidden: name(placement.hidden),
    },
  };
}

/** Resolves the placement to findings. A finding without a line is never inline, whatever the worker sent. */
export function readPlacement({ raised, placement }: Pick<ReviewResult, 'raised' | 'placement'>): Placement {
  const byName = new Map(raised.map((finding) => [finding.fingerprint, finding]));
  const look = (names: readonly string[]): RaisedFinding[] =>
    names.flatMap((fingerprint) => byName.get(fingerprint) ?? []);
  const inline = look(placement.inline);
  return {
    inline: inline.filter(hasLine),
    demoted: [...inline.filter((finding) => !hasLine(finding)), ...look(placement.demoted)],
    standing: look(placement.standing),
    nits: look(placement.nits),
    hidden: look(placement.hidden),
  };
}

function hasLine(finding: RaisedFinding): finding is InlineFinding {
  return finding.line !== null;
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return new Set(names).size === names.length && names.toSorted().join() === others.toSorted().join();
}
