import type { Repository } from '@mergexo/state';

export function nameOf({ owner, name }: Repository): string {
  return `${owner}/${name}`;
}

/** Ignores case in repository names, as GitHub does. */
export function isNamed(repository: Repository, name: string): boolean {
  return nameOf(repository).toLowerCase() === name.toLowerCase();
}
