import { locateFrontmatter } from './locate-frontmatter.js';
import { parseFrontmatter } from './parse-frontmatter.js';

/**
 * Sets `status: implemented` and the ISO time in the frontmatter, and leaves every other byte unchanged.
 * Returns null if the document has no usable frontmatter.
 */
export function markImplemented(text: string, implementedAt: string): string | null {
  const location = locateFrontmatter(text);
  if (location.kind !== 'found') return null;
  const { from, to, newline } = location;
  const entries = { status: 'implemented', implemented_at: implementedAt };
  const block = Object.entries(entries).reduce(
    (lines, [key, value]) => setEntry(lines, { key, entry: `${key}: ${value}`, newline }),
    text.slice(from, to),
  );
  const marked = text.slice(0, from) + block + text.slice(to);
  // Reads the result back, because unusual YAML could hide the new status from later readers.
  const read = parseFrontmatter(marked);
  return read.kind === 'parsed' && read.frontmatter.status === 'implemented' ? marked : null;
}

/** Replaces or adds an entry. Indented lines below the key belong to the old value and are replaced too. */
function setEntry(
  block: string,
  { key, entry, newline }: { key: string; entry: string; newline: string },
): string {
  const present = new RegExp(
    `(?<=^|[\\r\\n])(?:${key}|"${key}"|'${key}')[ \\t]*:.*(?:(?:\\r\\n|\\n|\\r)[ \\t]+\\S.*)*`,
  );
  return present.test(block) ? block.replace(present, () => entry) : block + entry + newline;
}
