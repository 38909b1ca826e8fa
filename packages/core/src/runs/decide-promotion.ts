import type { Frontmatter } from '../frontmatter/frontmatter.js';
import { parseFrontmatter } from '../frontmatter/parse-frontmatter.js';
import { renderSkipReason } from '../reasons/skip-reason.js';
import { hasLabel } from '../text/has-label.js';
import type { Account } from './account.js';
import { findDistrust } from './decide-intake.js';

export type PromotionFacts = Pick<Frontmatter, 'priority' | 'touchPaths' | 'dependsOn' | 'estimatedSize'>;

export type Promotion =
  | { kind: 'promote'; issueNumber: number; facts: PromotionFacts | null }
  | { kind: 'implemented' | 'skip'; reason: string };

/**
 * Decides whether a merged document starts an implementation. For MergeXO's own document, the run determines the issue,
 * even if people broke the frontmatter. Any other document counts only if its frontmatter names the issue.
 */
export function decidePromotion(document: string, ownIssue: number | null): Promotion {
  const parsed = parseFrontmatter(document);
  if (parsed.kind === 'parsed') {
    const { frontmatter } = parsed;
    if (frontmatter.status?.toLowerCase() === 'implemented')
      return { kind: 'implemented', reason: 'its frontmatter says status: implemented' };
    return { kind: 'promote', issueNumber: ownIssue ?? frontmatter.issue, facts: frontmatter };
  }
  if (ownIssue !== null) return { kind: 'promote', issueNumber: ownIssue, facts: null };
  const reason =
    parsed.kind === 'none'
      ? 'it has no frontmatter'
      : `its frontmatter is invalid: ${parsed.problems.join('; ')}`;
  return { kind: 'skip', reason };
}

/** Returns why MergeXO does not work on an issue that a merged document names; undefined if it does. */
export function explainUnfitIssue(
  issue: { open: boolean; isPullRequest: boolean; author: Account; labels: readonly string[] },
  rules: { allowedUsers: readonly string[]; ignoreLabel: string },
): string | undefined {
  if (issue.isPullRequest) return 'it names a pull request instead of an issue';
  if (!issue.open) return 'its issue is closed';
  if (hasLabel(issue.labels, rules.ignoreLabel))
    return `the label ${rules.ignoreLabel} reserves its issue for people`;
  const distrust = findDistrust(issue.author, rules.allowedUsers);
  return distrust === undefined ? undefined : `the author of its issue ${renderSkipReason(distrust)}`;
}

/** Reads the labels `priority:1` to `priority:5`. If there are several, the highest wins. */
export function readLabelPriority(labels: readonly string[]): number | null {
  const found = labels.flatMap((label) => /^priority:\s?([1-5])$/i.exec(label)?.[1] ?? []).map(Number);
  return found.length === 0 ? null : Math.max(...found);
}
