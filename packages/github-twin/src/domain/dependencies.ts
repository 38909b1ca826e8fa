import type { Dependency, Issue } from '../store/rows.js';
import { stampOf, type World } from '../world/world.js';

/** Lists the issues that block an issue, in the order in which the dependencies were added. */
export function listBlockers(world: World, issue: Issue): Issue[] {
  const found = world.store.dependencies.filter(({ blockedId }) => blockedId === issue.id);
  return toIssues(world, found, ({ blockerId }) => blockerId);
}

/** Lists the issues that an issue blocks. */
export function listBlocked(world: World, issue: Issue): Issue[] {
  const found = world.store.dependencies.filter(({ blockerId }) => blockerId === issue.id);
  return toIssues(world, found, ({ blockedId }) => blockedId);
}

function toIssues(world: World, found: Dependency[], idOf: (one: Dependency) => number): Issue[] {
  return found.flatMap((one) => {
    const issue = world.store.issues.get(idOf(one));
    return issue === undefined || issue.deleted ? [] : [issue];
  });
}

/** Changes the `updated_at` of issues because a dependency or a blocker of theirs changed, if the twin does that. */
export function touchDependents(world: World, issues: Issue[]): void {
  if (!world.quirks.dependenciesMoveIssue) return;
  for (const issue of issues) world.store.issues.put({ ...issue, updatedAt: stampOf(world) });
}
