import type { Command } from '../commands/command-kind.js';
import { parseCommand } from '../commands/parse-command.js';
import type { SkipReason } from '../reasons/skip-reason.js';
import { findDistrust } from '../runs/decide-intake.js';
import type { Remark } from './remark.js';

/** `copy`: somebody reposted one of MergeXO's signed comments. */
export type Ownership = 'ours' | 'copy' | 'not-ours';

export type RemarkFacts = {
  ownership: Ownership;
  allowedUsers: readonly string[];
  operatorLogins: readonly string[];
};

export type RemarkDecision =
  | { kind: 'skip'; reason: SkipReason }
  /** If other text surrounds the command, the comment is feedback too. */
  | { kind: 'command'; command: Command; isOperator: boolean; isFeedback: boolean }
  | { kind: 'event' };

/** Decides whether MergeXO skips a remark, runs it as a command or answers it. A skipped remark always has a reason. */
export function decideRemark(remark: Remark, facts: RemarkFacts): RemarkDecision {
  if (facts.ownership === 'ours') return { kind: 'skip', reason: { code: 'ours' } };
  if (facts.ownership === 'copy') return { kind: 'skip', reason: { code: 'copy_of_ours' } };
  const isOperator = findDistrust(remark.author, facts.operatorLogins) === undefined;
  const distrust = findDistrust(remark.author, facts.allowedUsers);
  const parsed = distrust === undefined || isOperator ? parseCommand(remark.body) : undefined;
  if (distrust !== undefined && parsed === undefined) return { kind: 'skip', reason: distrust };
  if (parsed?.command.kind === 'update' && distrust === undefined) return { kind: 'event' };
  if (parsed !== undefined) {
    const isFeedback = parsed.rest !== '' && distrust === undefined;
    return { kind: 'command', command: parsed.command, isOperator, isFeedback };
  }
  if (remark.kind === 'review_summary') return decideReview(remark);
  return remark.body.trim() === '' ? { kind: 'skip', reason: { code: 'empty' } } : { kind: 'event' };
}

/** Skips a dismissed review. Also skips a review without text, because its line comments represent it. */
function decideReview({ body, reviewState }: Remark): RemarkDecision {
  if (reviewState === 'dismissed') return { kind: 'skip', reason: { code: 'review_dismissed' } };
  if (body.trim() !== '') return { kind: 'event' };
  return { kind: 'skip', reason: { code: 'review_without_text', state: reviewState } };
}
