import { computeSimilarity, listWords } from './compute-similarity.js';
import { compareGravity, type EarlierFinding, type Finding, type ReportedFinding } from './finding.js';
import { fingerprintFinding } from './fingerprint-finding.js';
import type { DiffLines } from './read-hunks.js';

/** Findings with at least this similarity count as the same. A different category requires more similarity. */
const SAME_CATEGORY = 0.5;
const OTHER_CATEGORY = 0.75;

export type Match =
  | { kind: 'new'; finding: ReportedFinding; fingerprint: string; earlier: null }
  /** `regressed`: the earlier finding was reported as fixed, and this round reports it again. */
  | { kind: 'known' | 'regressed'; finding: ReportedFinding; fingerprint: string; earlier: EarlierFinding };

export type Matched = {
  matches: readonly Match[];
  /** Findings that repeat another finding of this round. */
  duplicates: readonly ReportedFinding[];
};

type Candidate = { finding: ReportedFinding; lineText: string | undefined; words: ReadonlySet<string> };

/** Pairs the findings of this round with earlier findings. Each earlier finding is used at most once. */
export function matchFindings(
  findings: readonly ReportedFinding[],
  earlier: readonly EarlierFinding[],
  lines: DiffLines,
): Matched {
  const { kept, duplicates } = dropDuplicates(findings.map((finding) => prepare(finding, lines)));
  const partners = pairUp(kept, earlier);
  const used = new Set(earlier.map(({ fingerprint }) => fingerprint));
  const matches = kept.map((candidate): Match => {
    const { finding } = candidate;
    const partner = partners.get(candidate);
    if (partner === undefined)
      return { kind: 'new', finding, fingerprint: claimFingerprint(candidate, used), earlier: null };
    return repeat(partner, finding);
  });
  return { matches, duplicates };
}

/** Matches an earlier finding with its report in this round. */
export function repeat(earlier: EarlierFinding, finding: ReportedFinding): Match {
  const kind = earlier.status === 'fixed' ? 'regressed' : 'known';
  return { kind, finding, fingerprint: earlier.fingerprint, earlier };
}

function prepare(finding: ReportedFinding, lines: DiffLines): Candidate {
  const { path, line, body } = finding;
  const lineText = line === null ? undefined : lines.get(path)?.get(line);
  return { finding, lineText, words: listWords(body) };
}

function dropDuplicates(candidates: readonly Candidate[]): {
  kept: Candidate[];
  duplicates: ReportedFinding[];
} {
  const kept: Candidate[] = [];
  const duplicates: ReportedFinding[] = [];
  for (const candidate of candidates) {
    if (kept.some((other) => isSaidTwice(candidate, other))) duplicates.push(candidate.finding);
    else kept.push(candidate);
  }
  return { kept, duplicates };
}

function isSaidTwice(a: Candidate, b: Candidate): boolean {
  const isSamePlace = a.finding.path === b.finding.path && a.finding.line === b.finding.line;
  if (!isSamePlace || a.finding.category !== b.finding.category) return false;
  return computeSimilarity(a.words, b.words) >= SAME_CATEGORY;
}

type Pair = { candidate: Candidate; partner: EarlierFinding; score: number };

/** Forms the best pairs first: same code, then most similar text. */
function pairUp(
  candidates: readonly Candidate[],
  earlier: readonly EarlierFinding[],
): Map<Candidate, EarlierFinding> {
  const wordsOf = new Map(earlier.map((finding) => [finding, listWords(finding.body)]));
  const pairs: Pair[] = candidates.flatMap((candidate) => {
    const keys = listKeys(candidate, earlier);
    return earlier.flatMap((partner) => {
      const similarity = computeSimilarity(candidate.words, wordsOf.get(partner) ?? new Set());
      if (isMoreSevereThanDismissed(candidate.finding, partner, similarity)) return [];
      if (keys.has(partner.fingerprint)) return [{ candidate, partner, score: 1 + similarity }];
      return isAlike(candidate.finding, partner, similarity)
        ? [{ candidate, partner, score: similarity }]
        : [];
    });
  });
  const partners = new Map<Candidate, EarlierFinding>();
  const taken = new Set<EarlierFinding>();
  for (const { candidate, partner } of pairs.toSorted((a, b) => b.score - a.score)) {
    if (partners.has(candidate) || taken.has(partner)) continue;
    partners.set(candidate, partner);
    taken.add(partner);
  }
  return partners;
}

/**
 * True if a dismissal does not cover the finding, because the finding is more severe and its text differs.
 */
function isMoreSevereThanDismissed(finding: Finding, partner: EarlierFinding, similarity: number): boolean {
  return partner.status === 'dismissed' && similarity < SAME_CATEGORY && compareGravity(finding, partner) < 0;
}

function isAlike(finding: Finding, partner: EarlierFinding, similarity: number): boolean {
  if (finding.path !== partner.path) return false;
  return similarity >= (finding.category === partner.category ? SAME_CATEGORY : OTHER_CATEGORY);
}

/** Returns all fingerprints of earlier findings at the same place. */
function listKeys({ finding, lineText }: Candidate, earlier: readonly EarlierFinding[]): Set<string> {
  const recorded = new Set(earlier.map(({ fingerprint }) => fingerprint));
  const keys = new Set<string>();
  for (let ordinal = 0; ; ordinal += 1) {
    const key = fingerprintFinding(finding, { lineText, ordinal });
    if (!recorded.has(key)) return keys;
    keys.add(key);
  }
}

/** Returns the first unused fingerprint of the place, because fingerprints must be unique within a pull request. */
function claimFingerprint({ finding, lineText }: Candidate, used: Set<string>): string {
  for (let ordinal = 0; ; ordinal += 1) {
    const key = fingerprintFinding(finding, { lineText, ordinal });
    if (used.has(key)) continue;
    used.add(key);
    return key;
  }
}
