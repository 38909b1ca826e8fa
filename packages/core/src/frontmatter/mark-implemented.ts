import { locateFrontmatter } from './locate-frontmatter.js';
import { parseFrontmatter } from './parse-frontmatter.js';

/**
 * The document with `status: implemented` and the time in its frontmatter, and every other byte as it was. Null where
 * there is no frontmatter that could carry them. The time is in ISO form.
 */
export function markImplemented(text: string, implementedAt: string): string | null {
  const location = locateFrontmatter(text);
  if (location.kind !== 'found') return null;
  const { from, to, newline } = location;
  const entries = { status: 'implemented', implemented_at: implementedAt };
  const block = Object.entries(entries).reduce(
    (lines, [key, value]) => setEntry(lines, key, `${key}: ${value}`, newline),
    text.slice(from, to),
  );
  const marked = text.slice(0, from) + block + text.slice(to);
  // Whatever else may stand there, a later look at the document has to see it.
  const read = parseFrontmatter(marked);
  return read.kind === 'parsed' && read.frontmatter.status === 'implemented' ? marked : null;
}

/** A value may go on in indented lines below its key; they go with it. */
function setEntry(block: string, key: string, entry: string, newline: string): string {
  const present = new RegExp(
    `(?<=^|[\\r\\n])(?:${key}|"${key}"|'${key}')[ \\t]*:.*(?:(?:\\r\\n|\\n|\\r)[ \\t]+\\S.*)*`,
  );
  return present.test(block) ? block.replace(present, () => entry) : block + entry + newline;
}
