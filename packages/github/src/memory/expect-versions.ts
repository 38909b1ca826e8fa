import type { WorkflowRun } from '../models/action-models.js';
import type { Memory } from './create-memory.js';
import { versionOf } from './freshness.js';

type Stamped = { number: number; updatedAt: string };

/** Versions of a repository's objects that an earlier process has read. */
export type SeenVersions = {
  issues: readonly Stamped[];
  pulls: readonly Stamped[];
  runs: readonly Pick<WorkflowRun, 'id' | 'attempt' | 'updatedAt'>[];
};

export function createExpect({ freshness }: Pick<Memory, 'freshness'>) {
  return {
    /** Records the versions that an earlier process has read, so that older responses are outdated. */
    expectVersions(repo: string, { issues, pulls, runs }: SeenVersions): void {
      for (const issue of issues) freshness.note(versionOf.issue(repo, issue));
      for (const pull of pulls) freshness.note(versionOf.pull(repo, pull));
      for (const run of runs) freshness.note(versionOf.run(repo, run));
    },
  };
}
