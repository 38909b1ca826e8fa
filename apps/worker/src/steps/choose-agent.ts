import type { RepoConfig } from '@mergexo/config';
import type { TurnKind } from '@mergexo/core';

/** Whoever reviews may be another agent than the one that wrote. */
export function chooseAgent(repo: RepoConfig, kind: TurnKind): RepoConfig['agent'] {
  return kind === 'review' ? repo.reviewAgent : repo.agent;
}
