import type { Dependency } from '../frontmatter/frontmatter.js';
import { countOf } from '../text/count-of.js';
import { type BlockedBy, nameBlocker } from './blockers.js';

const MAX_SHOWN = 3;

/** Why a candidate does not start now. */
export type HeldReason =
  | { kind: 'depends-on'; unmet: readonly Dependency[]; idle: readonly Dependency[] }
  /** `open` names the open issues that block this one on GitHub. `hidden` counts those that MergeXO cannot read. */
  | { kind: 'blocked-by'; open: readonly string[]; hidden: number }
  | { kind: 'dependency-cycle'; members: readonly number[] }
  | { kind: 'overlaps'; issueNumber: number | null; prNumber: number | null; paths: readonly string[] }
  | { kind: 'too-many-open-prs'; open: number; max: number }
  | { kind: 'no-free-slot'; place: number };

/**
 * Renders the reason for people. The text contains unescaped paths, so callers must neutralise it before they post it
 * on GitHub.
 */
export function renderHeldReason(reason: HeldReason): string {
  switch (reason.kind) {
    case 'depends-on':
      return renderDependsOn(reason);
    case 'blocked-by':
      return renderBlockedBy(reason);
    case 'dependency-cycle':
      return renderCycle(reason.members);
    case 'overlaps': {
      const number = reason.prNumber ?? reason.issueNumber;
      return `overlaps with ${number === null ? 'other work' : `#${number}`} in ${list(reason.paths)}`;
    }
    case 'too-many-open-prs':
      return `${countOf(reason.open, 'pull request')} ${reason.open === 1 ? 'is' : 'are'} open (limits.max_open_prs is ${reason.max})`;
    case 'no-free-slot':
      return `no free slot: position ${reason.place} in the queue`;
  }
}

function renderDependsOn({ unmet, idle }: Extract<HeldReason, { kind: 'depends-on' }>): string {
  const rest = idle.length === 0 ? '' : `; no implementation of ${list(idle.map(name))} is in progress`;
  return `depends on ${list(unmet.map(name))}, which ${unmet.length === 1 ? 'is' : 'are'} not merged yet${rest}`;
}

export function explainBlocked({ open, hidden }: BlockedBy, repo: string): HeldReason {
  return { kind: 'blocked-by', open: open.map((one) => nameBlocker(one, repo)), hidden };
}

function renderBlockedBy({ open, hidden }: Extract<HeldReason, { kind: 'blocked-by' }>): string {
  const unread = `${countOf(hidden, 'issue')} that MergeXO could not read`;
  if (open.length === 0) return `blocked by ${unread}`;
  const rest = hidden === 0 ? '' : `, and by ${unread}`;
  return `blocked by ${list(open)}, which ${open.length === 1 ? 'is' : 'are'} open${rest}`;
}

function renderCycle(members: readonly number[]): string {
  if (members.length === 1) return `depends on itself: remove ${list(members.map(name))} from its depends_on`;
  return `is part of a dependency cycle: ${list(members.map(name))} depend on each other; remove one entry from depends_on, or one "blocked by" on GitHub`;
}

function name(dependency: Dependency): string {
  return typeof dependency === 'number' ? `#${dependency}` : dependency;
}

function list(names: readonly string[]): string {
  if (names.length > MAX_SHOWN) {
    return `${names.slice(0, MAX_SHOWN).join(', ')} and ${names.length - MAX_SHOWN} more`;
  }
  return names.join(', ').replace(/, ([^,]*)$/, ' and $1');
}
