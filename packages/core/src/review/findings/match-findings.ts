import { computeSimilarity, listWords } from './compute-similarity.js';
import { compareGravity, type EarlierFinding, type Finding } from './finding.js';
import { fingerprintFinding } from './fingerprint-finding.js';
import type { DiffLines } from './read-hunks.js';

/** Half of the words in common is the same finding told anew; under another category it takes more to believe that. */
const SAME_CATEGORY = 0.5;
const OTHER_CATEGORY = 0.75;

export type Match =
  | { kind: 'new'; finding: Finding; fingerprint: string; earlier: null }
  /** `regressed`: it was called fixed, and is there. */
  | { kind: 'known' | 'regressed'; finding: Finding; fingerprint: string; earlier: EarlierFinding };

export type Matched = {
  matches: readonly Match[];
  /** Said twice in this round. */
  duplicates: readonly Finding[];
  /** Open before, and not raised any more. */
  gone: readonly EarlierFinding[];
};

type Candidate = { finding: Finding; lineText: string | undefined; words: ReadonlySet<string> };

/** Which findings of this round are findings of earlier rounds. Each earlier one is matched once at most. */
export function matchFindings(
  findings: readonly Finding[],
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
      return { kind: 'new', finding, fingerprint: claim(candidate, used), earlier: null };
    const kind = partner.status === 'fixed' ? 'regressed' : 'known';
    return { kind, finding, fingerprint: partner.fingerprint, earlier: partner };
  });
  const matched = new Set(partners.values());
  const gone = earlier.filter((finding) => finding.status === 'open' && !matched.has(finding));
  return { matches, duplicates, gone };
}

function prepare(finding: Finding, lines: DiffLines): Candidate {
  const { path, line, body } = finding;
  const lineText = line === null ? undefined : lines.get(path)?.get(line);
  return { finding, lineText, words: listWords(body) };
}

function dropDuplicates(candidates: readonly Candidate[]): { kept: Candidate[]; duplicates: Finding[] } {
  const kept: Candidate[] = [];
  const duplicates: Finding[] = [];
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

/** The best pairs first: the same code, then the most alike words. */
function pairUp(
  candidates: readonly Candidate[],
  earlier: readonly EarlierFinding[],
): Map<Candidate, EarlierFinding> {
  const wordsOf = new Map(earlier.map((finding) => [finding, listWords(finding.body)]));
  const pairs: Pair[] = candidates.flatMap((candidate) => {
    const keys = listKeys(candidate, earlier);
    return earlier.flatMap((partner) => {
      const similarity = computeSimilarity(candidate.words, wordsOf.get(partner) ?? new Set());
      if (isGraverThanDismissed(candidate.finding, partner, similarity)) return [];
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

/** Who dismissed a small remark has said nothing about another, graver fault of the same line. */
function isGraverThanDismissed(finding: Finding, partner: EarlierFinding, similarity: number): boolean {
  return partner.status === 'dismissed' && similarity < SAME_CATEGORY && compareGravity(finding, partner) < 0;
}

function isAlike(finding: Finding, partner: EarlierFinding, similarity: number): boolean {
  if (finding.path !== partner.path) return false;
  return similarity >= (finding.category === partner.category ? SAME_CATEGORY : OTHER_CATEGORY);
}

/** All fingerprints under which earlier findings of the same place were recorded. */
function listKeys({ finding, lineText }: Candidate, earlier: readonly EarlierFinding[]): Set<string> {
  const recorded = new Set(earlier.map(({ fingerprint }) => fingerprint));
  const keys = new Set<string>();
  for (let ordinal = 0; ; ordinal += 1) {
    const key = fingerprintFinding(finding, { lineText, ordinal });
    if (!recorded.has(key)) return keys;
    keys.add(key);
  }
}

/** The first fingerprint of the place that nobody has: a pull request never has two findings of one fingerprint. */
function claim({ finding, lineText }: Candidate, used: Set<string>): string {
  for (let ordinal = 0; ; ordinal += 1) {
    const key = fingerprintFinding(finding, { lineText, ordinal });
    if (used.has(key)) continue;
    used.add(key);
    return key;
  }
}
