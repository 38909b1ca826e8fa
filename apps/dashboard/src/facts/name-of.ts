import type { Repository } from '@mergexo/state';

export function nameOf({ owner, name }: Pick<Repository, 'owner' | 'name'>): string {
  return `${owner}/${name}`;
}
