import type { Command } from '../commands/command-kind.js';
import { parseCommand } from '../commands/parse-command.js';
import { explainDistrust } from '../runs/decide-intake.js';
import type { Remark } from './remark.js';

/** `copy`: the very words that we posted, posted once more. */
export type Ownership = 'ours' | 'copy' | 'not-ours';

export type RemarkFacts = {
  ownership: Ownership;
  allowedUsers: readonly string[];
  operatorLogins: readonly string[];
};

export type RemarkDecision =
  | { kind: 'skip'; reason: string }
  /** With feedback around it, it is both. */
  | { kind: 'command'; command: Command; isOperator: boolean; isFeedback: boolean }
  | { kind: 'event' };

export const OURS = 'it is our own';

/** Whose words count, and as what. Everything that is not acted on says why. */
export function decideRemark(remark: Remark, facts: RemarkFacts): RemarkDecision {
  if (facts.ownership === 'ours') return { kind: 'skip', reason: OURS };
  if (facts.ownership === 'copy') return { kind: 'skip', reason: 'it is a copy of our own' };
  const parsed = parseCommand(remark.body);
  const isOperator = explainDistrust(remark.author, facts.operatorLogins) === undefined;
  const distrust = explainDistrust(remark.author, facts.allowedUsers);
  if (distrust !== undefined && !(parsed !== undefined && isOperator))
    return { kind: 'skip', reason: distrust };
  if (parsed?.command.kind === 'update' && distrust === undefined) return { kind: 'event' };
  if (parsed !== undefined) {
    const isFeedback = parsed.rest !== '' && distrust === undefined;
    return { kind: 'command', command: parsed.command, isOperator, isFeedback };
  }
  if (remark.kind === 'review_summary') return decideReview(remark);
  return remark.body.trim() === '' ? { kind: 'skip', reason: 'it is empty' } : { kind: 'event' };
}

/** A review without words of its own is told by its comments on lines, which carry its verdict. */
function decideReview({ body, reviewState }: Remark): RemarkDecision {
  if (reviewState === 'dismissed') return { kind: 'skip', reason: 'the review was dismissed' };
  if (body.trim() !== '') return { kind: 'event' };
  return { kind: 'skip', reason: `the review (${reviewState ?? 'no verdict'}) has no text` };
}
