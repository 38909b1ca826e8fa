import type { RaisedFinding } from '../findings/choose-findings.js';
import type { EarlierFinding, Finding, ReportedFinding } from '../findings/finding.js';

export function aFinding(overrides: Partial<ReportedFinding> = {}): ReportedFinding {
  return { ...A_FINDING, introduced: true, ...overrides };
}

const A_FINDING: Finding = {
  path: 'src/upload.ts',
  startLine: null,
  line: 14,
  severity: 'high',
  category: 'edge_cases',
  body: 'The fourth try is never stopped.',
  suggestion: null,
};

export function aRaisedFinding(overrides: Partial<RaisedFinding> = {}): RaisedFinding {
  const facts = {
    fingerprint: 'f1',
    origin: 'new',
    earlierId: null,
    status: 'open',
    verified: null,
  } as const;
  return { ...A_FINDING, ...facts, ...overrides };
}

export function anEarlierFinding(overrides: Partial<EarlierFinding> = {}): EarlierFinding {
  return { ...A_FINDING, id: 1, fingerprint: 'f1', status: 'open', lastRound: 1, ...overrides };
}
