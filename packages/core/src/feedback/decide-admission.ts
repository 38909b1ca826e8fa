import type { Lineage } from './decide-lineage.js';

/** The state of a pull request on GitHub right before MergeXO works on it. */
export type AdmissionFacts = {
  status: 'open' | 'closed' | 'merged';
  /** True if the pull request or its issue has the label that a person sets to take over. */
  isTakenOver: boolean;
  lineage: Lineage;
};

export type Admission = 'go' | 'later' | 'closed' | 'taken-over' | 'rewritten';

/**
 * Decides whether MergeXO may work on a pull request. The order of the checks matters: a closed pull request needs no
 * decision by a person, and a person who took over needs no notice about the history.
 */
export function decideAdmission({ status, isTakenOver, lineage }: AdmissionFacts): Admission {
  if (status !== 'open') return 'closed';
  if (isTakenOver) return 'taken-over';
  if (lineage === 'unclear') return 'later';
  return lineage === 'rewritten' ? 'rewritten' : 'go';
}
