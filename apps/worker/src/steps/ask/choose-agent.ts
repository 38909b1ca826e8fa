import type { RepoConfig } from '@mergexo/config';
import { type TurnKind, traitsOf } from '@mergexo/core/turns';

/** Chooses the author's or the reviewer's agent by the kind of turn. The two may differ. */
export function chooseAgent(repo: RepoConfig, kind: TurnKind): RepoConfig['agent'] {
  return repo[traitsOf(kind).agent];
}
