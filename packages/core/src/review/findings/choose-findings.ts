import { MAX_FINDINGS } from '../../turns/review/review-output.js';
import { type Finding, isBlocking, type ReportedFinding, type ReviewPolicy } from './finding.js';
import type { Match, Matched } from './match-findings.js';

/** A finding that counts in this round. */
export type RaisedFinding = Finding & {
  fingerprint: string;
  origin: Match['kind'];
  /** Id of the stored finding that this finding continues; null for a new finding. */
  earlierId: number | null;
  status: 'open';
  /** True if a second agent confirmed the finding, false if it gave no usable answer, null if it was not asked. */
  verified: boolean | null;
};

export type DroppedFinding = { finding: Finding; reason: string };

/** The second agent's answers by fingerprint. */
export type Checks = ReadonlyMap<string, { status: 'confirmed' | 'refuted'; evidence: string }>;

/** A match with the facts that decide whether it can block. */
export type Candidate = Match & {
  /**
   * True for a finding of the previous round. That round accepted its place and origin, so this round does
   * not check them again.
   */
  isUnresolved: boolean;
  /** True if the diff contains the finding's line. */
  isOnDiff: boolean;
};

export type ChosenFindings = {
  raised: readonly RaisedFinding[];
  /** Findings that never block: the change did not introduce them, or nobody confirmed that it did. */
  notes: readonly DroppedFinding[];
  /** Findings that the second agent refuted, each with its evidence as the reason. */
  refuted: readonly (DroppedFinding & { earlierId: number | null })[];
  dropped: readonly DroppedFinding[];
};

type Rules = { round: number; policy: ReviewPolicy };
type Fate = { kind: 'raised' } | { kind: 'notes' | 'refuted' | 'dropped'; reason: string };

/**
 * Decides whether each finding counts in this round. Each finding that does not count gets a reason. A severe finding
 * that the change introduces counts unless a person dismissed it, the second agent refuted it, or it is a duplicate. If
 * its line is outside the diff, the second agent must have confirmed it.
 */
export function chooseFindings(
  { candidates, duplicates }: { candidates: readonly Candidate[]; duplicates: Matched['duplicates'] },
  rules: Rules,
  checks: Checks,
): ChosenFindings {
  const judged = candidates.map((candidate) => ({ candidate, fate: decideFate(candidate, rules, checks) }));
  const kept = judged.filter(({ fate }) => fate.kind === 'raised').map(({ candidate }) => candidate);
  const sorted = kept.toSorted((a, b) => rank(a, rules) - rank(b, rules));
  const list = (kind: Exclude<Fate['kind'], 'raised'>) =>
    judged.flatMap(({ candidate: { finding, earlier }, fate }) =>
      fate.kind === kind
        ? [{ finding: plain(finding), reason: fate.reason, earlierId: earlier?.id ?? null }]
        : [],
    );
  const drop = (finding: ReportedFinding, reason: string) => ({ finding: plain(finding), reason });
  return {
    raised: sorted.slice(0, MAX_FINDINGS).map((candidate) => raise(candidate, rules, checks)),
    notes: list('notes').map(({ finding, reason }) => ({ finding, reason })),
    refuted: list('refuted'),
    dropped: [
      ...list('dropped').map(({ finding, reason }) => ({ finding, reason })),
      ...sorted.slice(MAX_FINDINGS).map(({ finding }) => drop(finding, TOO_MANY)),
      ...duplicates.map((finding) => drop(finding, 'the reviewer reported it twice in this round')),
    ],
  };
}

const TOO_MANY = `the review already has ${MAX_FINDINGS} findings`;

/** Returns the candidates that would block, which the second agent must check. */
export function listSuspects(candidates: readonly Candidate[], { round, policy }: Rules): Candidate[] {
  return candidates.filter(
    (candidate) =>
      isBlocking(candidate.finding, policy.blockingSeverity) &&
      explainDrop(candidate, true, round) === undefined &&
      (candidate.isUnresolved || candidate.finding.introduced),
  );
}

function decideFate(candidate: Candidate, { round, policy }: Rules, checks: Checks): Fate {
  const { finding, fingerprint, isUnresolved, isOnDiff } = candidate;
  const blocks = isBlocking(finding, policy.blockingSeverity);
  const drop = explainDrop(candidate, blocks, round);
  if (drop !== undefined) return { kind: 'dropped', reason: drop };
  if (!isUnresolved && !finding.introduced)
    return { kind: 'notes', reason: 'the change did not introduce it' };
  if (!blocks) return { kind: 'raised' };
  const check = checks.get(fingerprint);
  if (check?.status === 'refuted') return { kind: 'refuted', reason: check.evidence };
  if (isUnresolved || isOnDiff || check !== undefined) return { kind: 'raised' };
  return { kind: 'notes', reason: 'it is outside the diff, and no second agent confirmed it' };
}

function explainDrop({ kind, earlier }: Match, blocks: boolean, round: number): string | undefined {
  if (earlier?.status === 'dismissed') return 'a person dismissed it';
  if (blocks) return undefined;
  if (kind === 'new' && round > 1) return 'it was first raised after round 1 and does not block';
  if (earlier?.status === 'wontfix' || earlier?.status === 'disputed')
    return 'the agent declined it, and it does not block';
  return undefined;
}

/** Puts findings that must not be lost first: those that block, then those of the previous round. */
function rank({ finding, isUnresolved }: Candidate, { policy }: Rules): number {
  return (isBlocking(finding, policy.blockingSeverity) ? 0 : 2) + (isUnresolved ? 0 : 1);
}

function raise(candidate: Candidate, { policy }: Rules, checks: Checks): RaisedFinding {
  const { kind, finding, fingerprint, earlier } = candidate;
  const isChecked = policy.verify && isBlocking(finding, policy.blockingSeverity);
  const verified = isChecked ? checks.has(fingerprint) : null;
  return {
    ...plain(finding),
    fingerprint,
    origin: kind,
    earlierId: earlier?.id ?? null,
    status: 'open',
    verified,
  };
}

function plain({ introduced: _, ...finding }: ReportedFinding): Finding {
  return finding;
}
