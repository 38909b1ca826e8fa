import { judgeLineage, type Lineage } from '@mergexo/core';
import type { GitHub } from '@mergexo/github';
import type { Pull } from '@mergexo/state';

export type HeadCheck = { lineage: Lineage; expectedSha: string | null };

/** The last accepted head must be an ancestor of the one that GitHub shows. An unknown answer decides nothing. */
export async function checkHead(
  tools: { github: Pick<GitHub, 'compareCommits'>; now: () => number; windowMs: number },
  fullName: string,
  pull: Pick<Pull, 'lastSeenHeadSha' | 'acceptedAt'>,
  observedSha: string,
): Promise<HeadCheck> {
  const { lastSeenHeadSha: expectedSha, acceptedAt } = pull;
  if (expectedSha === null || expectedSha === observedSha) return { lineage: 'grown', expectedSha };
  const comparison = await tools.github.compareCommits(fullName, expectedSha, observedSha);
  const sinceAcceptedMs = tools.now() - (acceptedAt ?? 0);
  // A commit that GitHub does not know may come yet; one that it never shows cannot be an ancestor of anything.
  if (comparison === null)
    return { lineage: sinceAcceptedMs < tools.windowMs ? 'unclear' : 'rewritten', expectedSha };
  return {
    lineage: judgeLineage(comparison.status, { sinceAcceptedMs, windowMs: tools.windowMs }),
    expectedSha,
  };
}
