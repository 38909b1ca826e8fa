import { locateFrontmatter } from '@mergexo/core/frontmatter';

/** True if the document starts with frontmatter that names the issue. Later turns read this frontmatter. */
export function hasFrontmatter(text: string): boolean {
  const found = locateFrontmatter(text);
  return found.kind === 'found' && /^issue:[^\S\r\n]*\S/m.test(text.slice(found.from, found.to));
}
