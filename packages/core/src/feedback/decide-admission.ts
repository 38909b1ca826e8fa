import type { Lineage } from './judge-lineage.js';

/** What GitHub showed of a pull request right before MergeXO works on it. */
export type AdmissionFacts = {
  status: 'open' | 'closed' | 'merged';
  /** The pull request or its issue carries the label by which a person takes over. */
  isTakenOver: boolean;
  lineage: Lineage;
};

export type Admission = 'go' | 'later' | 'closed' | 'taken-over' | 'rewritten';

/** A closed pull request needs no decision by a person, and a person who took over wants no notice about the history. */
export function decideAdmission({ status, isTakenOver, lineage }: AdmissionFacts): Admission {
  if (status !== 'open') return 'closed';
  if (isTakenOver) return 'taken-over';
  if (lineage === 'unclear') return 'later';
  return lineage === 'rewritten' ? 'rewritten' : 'go';
}
