const MAX_LENGTH = 60;

/** Builds a slug from a restricted alphabet, so that no title can act as an option, a path, a ref or a command. */
export function buildSlug(title: string): string {
  const words = title
    .slice(0, 1_000)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_LENGTH)
    .replace(/^-|-$/g, '');
  return words === '' ? 'issue' : words;
}
