import type { Snapshot } from '@mergexo/state';

export type ReviewRound = ReturnType<typeof readReviews>[number];

/** Reads the AI review rounds of a pull request, each with its findings and their status. */
export function readReviews({ state }: Snapshot, repoId: number, pr: number) {
  const findings = state.listReviewFindings(repoId, pr);
  return state
    .listReviewRounds(repoId, pr)
    .map(({ id, number, headSha, verdict, state: round, summary, createdAt, turnKey }) => ({
      pr,
      number,
      headSha,
      verdict,
      turnKey,
      state: round,
      summary:
        summary ??
        (round === 'failed' && turnKey !== null ? (state.readTurn(turnKey)?.reason ?? null) : null),
      at: createdAt,
      findings: findings
        .filter(({ roundId }) => roundId === id)
        .map(({ severity, category, path, line, body, status, note }) => ({
          severity,
          category,
          place: line === null ? path : `${path}:${line}`,
          body,
          status,
          note,
        })),
    }));
}
