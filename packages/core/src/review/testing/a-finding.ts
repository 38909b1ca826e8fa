import type { RaisedFinding } from '../findings/choose-findings.js';
import type { EarlierFinding, Finding } from '../findings/finding.js';

export function aFinding(overrides: Partial<Finding> = {}): Finding {
  return {
    path: 'src/upload.ts',
    line: 14,
    severity: 'high',
    category: 'edge_cases',
    body: 'The fourth try is never stopped.',
    suggestion: null,
    ...overrides,
  };
}

export function aRaisedFinding(overrides: Partial<RaisedFinding> = {}): RaisedFinding {
  return { ...aFinding(), fingerprint: 'f1', origin: 'new', earlierId: null, status: 'open', ...overrides };
}

export function anEarlierFinding(overrides: Partial<EarlierFinding> = {}): EarlierFinding {
  const { path, severity, category, body } = aFinding();
  return { id: 1, fingerprint: 'f1', path, severity, category, body, status: 'open', ...overrides };
}
