import type { Dependency } from '../frontmatter/frontmatter.js';
import { countOf } from '../text/count-of.js';

const MAX_SHOWN = 3;

/** Why a candidate does not start now. */
export type HeldReason =
  | { kind: 'depends-on'; unmet: readonly Dependency[]; idle: readonly Dependency[] }
  | { kind: 'dependency-cycle'; members: readonly number[] }
  | { kind: 'overlaps'; issueNumber: number | null; prNumber: number | null; paths: readonly string[] }
  | { kind: 'too-many-open-prs'; open: number; max: number }
  | { kind: 'no-free-slot'; place: number };

/** For people. Paths are as somebody wrote them: on GitHub they have to be neutralised like any text. */
export function renderHeldReason(reason: HeldReason): string {
  switch (reason.kind) {
    case 'depends-on':
      return renderDependsOn(reason);
    case 'dependency-cycle':
      return renderCycle(reason.members);
    case 'overlaps': {
      const number = reason.prNumber ?? reason.issueNumber;
      return `waits for ${number === null ? 'other work' : `#${number}`}: both touch ${list(reason.paths)}`;
    }
    case 'too-many-open-prs':
      return `waits for people: ${countOf(reason.open, 'pull request')} ${reason.open === 1 ? 'is' : 'are'} open, at most ${reason.max} may be (limits.max_open_prs)`;
    case 'no-free-slot':
      return `waits for a free slot: number ${reason.place} in line`;
  }
}

function renderDependsOn({
  unmet,
  idle,
}: {
  unmet: readonly Dependency[];
  idle: readonly Dependency[];
}): string {
  const rest = idle.length === 0 ? '' : `; no implementation of ${list(idle.map(name))} is under way`;
  return `waits for ${list(unmet.map(name))}, which it depends on${rest}`;
}

function renderCycle(members: readonly number[]): string {
  if (members.length === 1) return `waits for itself: take ${list(members.map(name))} out of its depends_on`;
  return `waits in a circle: ${list(members.map(name))} depend on each other; take one out of a depends_on`;
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
