/** The scripted agent's reviews: the findings, and the verification of findings. */
import { existsSync, readFileSync } from 'node:fs';

export const CODE = 'src/todo.js';
export const ROUNDED = 'Math.round(';

/** A finding of the previous round, or a finding to verify. */
type Finding = { id: number; line: number };

/** Reviews only the checkout, so the verdict does not depend on the author. */
export function review(open: readonly Finding[]): object {
  const lines = existsSync(CODE) ? readFileSync(CODE, 'utf8').split('\n') : [];
  const at = lines.findIndex((line) => line.includes('items.length === 0') && line.includes(ROUNDED));
  const earlier = open.map(({ id }) => ({
    id,
    status: at < 0 ? 'fixed' : 'holds',
    line: at < 0 ? null : at + 1,
    evidence: `${CODE}: \`progress()\` rounds ${at < 0 ? 'down' : 'up'}.`,
  }));
  if (at < 0) return { summary: 'The change implements the issue and has a test.', findings: [], earlier };
  const finding = {
    path: CODE,
    line: at + 1,
    severity: 'high',
    category: 'edge_cases',
    introduced: true,
    body: 'With 299 of 300 items done, this rounds up to 100, so an unfinished list looks finished. No test covers this case.',
    suggestion: lines[at]?.replace(ROUNDED, 'Math.floor('),
  };
  return {
    summary: 'The empty list is fixed, but an almost finished list is rounded up to 100.',
    findings: open.length === 0 ? [finding] : [],
    earlier,
  };
}

/** Checks the reported line itself, as an independent agent would. */
export function verify(findings: readonly Finding[]): object {
  const lines = existsSync(CODE) ? readFileSync(CODE, 'utf8').split('\n') : [];
  return {
    findings: findings.map(({ id, line }) => ({
      id,
      status: lines[line - 1]?.includes(ROUNDED) ? 'confirmed' : 'refuted',
      evidence: `${CODE}:${line}: \`${lines[line - 1]?.trim()}\``,
    })),
  };
}
