import type { Redact } from '../text/secrets/redact.js';
import type { ReviewVerdict } from './compute-verdict.js';
import { containLine, containText } from './contain-text.js';
import type { RaisedFinding } from './findings/choose-findings.js';
import type { Placement } from './findings/place-findings.js';

/** An annotation of a check run on lines of a file. */
export type CheckNote = {
  path: string;
  startLine: number;
  line: number;
  level: 'notice' | 'warning' | 'failure';
  title: string;
  message: string;
};

/** Maximum number of annotations in one request to GitHub. A review never shows more findings than that. */
const MAX_NOTES = 50;
const MAX_PATH = 160;
const MAX_MESSAGE = 4_000;

type CheckWords = { verdict: ReviewVerdict<RaisedFinding>; placement: Placement };

/** Renders the findings of a review as annotations of a check run, including findings outside the diff. */
export function renderCheckNotes({ verdict, placement }: CheckWords, redact: Redact): CheckNote[] {
  const { inline, demoted, standing, nits } = placement;
  const blocking = new Set(
    verdict.kind === 'approved' ? [] : verdict.blocking.map(({ fingerprint }) => fingerprint),
  );
  return [...inline, ...demoted, ...standing, ...nits]
    .flatMap((finding) => renderNote(finding, blocking.has(finding.fingerprint), redact))
    .slice(0, MAX_NOTES);
}

function renderNote(finding: RaisedFinding, isBlocking: boolean, redact: Redact): CheckNote[] {
  const { path, line, severity, category, body } = finding;
  // A path that had to be redacted or escaped no longer names a file, so its finding appears only in the review.
  if (line === null || line < 1 || containLine(path, redact, MAX_PATH) !== path) return [];
  const level = isBlocking ? 'failure' : severity === 'low' ? 'notice' : 'warning';
  const title = [severity, category.replaceAll('_', ' '), ...(isBlocking ? ['blocking'] : [])].join(' · ');
  const message = containText(body, redact, MAX_MESSAGE);
  return [{ path, startLine: finding.startLine ?? line, line, level, title, message }];
}
