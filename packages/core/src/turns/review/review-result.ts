import { z } from 'zod';
import { Sha } from '../../basics/sha.js';
import type { RaisedFinding } from '../../review/findings/choose-findings.js';
import type { InlineFinding, Placement } from '../../review/findings/place-findings.js';
import type { Judgement } from '../../review/judge-round.js';
import { REVIEW_CATEGORIES, SEVERITIES } from './review-output.js';

/** As many as an agent may report. */
const MAX_FINDINGS = 50;
/** An agent's longest, counted as a plan counts it: in UTF-16 units rather than code points. */
export const MAX_FINDING_TEXT = 20_000;
export const MAX_FINDING_PATH = 1_000;

const Fingerprint = z.string().min(1).max(64);
const Id = z.int().min(1);

const Finding = {
  path: z.string().min(1).max(MAX_FINDING_PATH),
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
});

const Names = z.array(Fingerprint).max(MAX_FINDINGS);

/** What a review found. It holds no verdict: whoever reads it computes that from the findings and the policy. */
export const ReviewResult = z
  .strictObject({
    kind: z.literal('review'),
    headSha: Sha,
    summary: z.string().max(64_000),
    raised: z.array(Raised).max(MAX_FINDINGS),
    dropped: z
      .array(z.strictObject({ finding: z.strictObject(Finding), reason: z.string().max(200) }))
      .max(MAX_FINDINGS),
    /** Ids of findings that were open and are not raised any more. */
    gone: z.array(Id).max(1_000),
    /** Where each raised finding is shown, by fingerprint. */
    placement: z.strictObject({ inline: Names, demoted: Names, standing: Names, nits: Names, hidden: Names }),
  })
  .refine(
    ({ raised, placement }) =>
      isSame(
        raised.map(({ fingerprint }) => fingerprint),
        Object.values(placement).flat(),
      ),
    'each finding is shown in one place',
  );
export type ReviewResult = z.infer<typeof ReviewResult>;

export function buildReviewResult(
  { headSha, summary }: { headSha: string; summary: string },
  { raised, dropped, gone, placement }: Judgement,
): ReviewResult {
  const name = (findings: readonly RaisedFinding[]) => findings.map(({ fingerprint }) => fingerprint);
  return {
    kind: 'review',
    headSha,
    summary,
    raised: [...raised],
    dropped: [...dropped],
    gone: gone.map(({ id }) => id),
    placement: {
      inline: name(placement.inline),
      demoted: name(placement.demoted),
      standing: name(placement.standing),
      nits: name(placement.nits),
      hidden: name(placement.hidden),
    },
  };
}

/** The placement with the findings themselves. What has no line cannot be inline, whatever the worker says. */
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
