import { type Admission, type AdmissionFacts, decideAdmission } from './decide-admission.js';

describe('decideAdmission', () => {
  it.each<[Admission, Partial<AdmissionFacts>]>([
    ['go', {}],
    ['later', { lineage: 'unclear' }],
    ['rewritten', { lineage: 'rewritten' }],
    ['taken-over', { isTakenOver: true }],
    ['taken-over', { isTakenOver: true, lineage: 'rewritten' }],
    ['taken-over', { isTakenOver: true, lineage: 'unclear' }],
    ['closed', { status: 'closed' }],
    ['closed', { status: 'merged', isTakenOver: true, lineage: 'rewritten' }],
  ])('decides %s for %j', (expected, facts) => {
    expect(decideAdmission({ status: 'open', isTakenOver: false, lineage: 'grown', ...facts })).toBe(
      expected,
    );
  });
});
