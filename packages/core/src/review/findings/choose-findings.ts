import { type Finding, isBlocking, type Severity } from './finding.js';
import type { Match, Matched } from './match-findings.js';

/** A finding that counts in this round. */
export type RaisedFinding = Finding & {
  fingerprint: string;
  origin: Match['kind'];
  /** Id of the stored finding that this finding continues; null for a new finding. */
  earlierId: number | null;
  status: 'open';
};

export type DroppedFinding = { finding: Finding; reason: string };

export type ChosenFindings = { raised: readonly RaisedFinding[]; dropped: readonly DroppedFinding[] };

/**
 * Chooses the findings that count in this round. Every dropped finding gets a reason. A blocking finding is dropped
 * only if a person dismissed it or if it is a duplicate.
 */
export function chooseFindings(
  { matches, duplicates }: Pick<Matched, 'matches' | 'duplicates'>,
  { round, blockingSeverity }: { round: number; blockingSeverity: Severity },
): ChosenFindings {
  const judged = matches.map((match) => ({
    match,
    reason: explainDrop(match, isBlocking(match.finding, blockingSeverity), round),
  }));
  return {
    raised: judged.flatMap(({ match, reason }) => (reason === undefined ? [raise(match)] : [])),
    dropped: [
      ...judged.flatMap(({ match: { finding }, reason }) =>
        reason === undefined ? [] : [{ finding, reason }],
      ),
      ...duplicates.map((finding) => ({ finding, reason: 'the reviewer reported it twice in this round' })),
    ],
  };
}

function explainDrop({ kind, earlier }: Match, blocks: boolean, round: number): string | undefined {
  if (earlier?.status === 'dismissed') return 'a person dismissed it';
  if (blocks) return undefined;
  if (kind === 'new' && round > 1) return 'it was first raised after round 1 and does not block';
  if (earlier?.status === 'wontfix' || earlier?.status === 'disputed')
    return 'the agent declined it, and it does not block';
  return undefined;
}

function raise({ kind, finding, fingerprint, earlier }: Match): RaisedFinding {
  return { ...finding, fingerprint, origin: kind, earlierId: earlier?.id ?? null, status: 'open' };
}
