import type { RepoConfig } from '@mergexo/config';
import { type TurnKind, traitsOf } from '@mergexo/core/turns';

/** Whoever reviews may be another agent than the one that wrote. */
export function chooseAgent(repo: RepoConfig, kind: TurnKind): RepoConfig['agent'] {
  return repo[traitsOf(kind).agent];
}
