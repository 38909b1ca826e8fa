import { looksLikeSecret } from '../values/looks-like-secret.js';
import { showElement, showKey } from '../values/show-value.js';
import { isTable } from '../values/toml-table.js';
import type { Finding } from './finding.js';

/** Tables deeper than any schema key are already reported by an ancestor, and their content is never printed. */
const MAX_DEPTH = 16;

/** Looks at every string and key of the file, known or not. The secret itself is never repeated. */
export function findSecrets(value: unknown, path = '', depth = 0): Finding[] {
  if (typeof value === 'string') return looksLikeSecret(value) ? [found(path)] : [];
  if (depth >= MAX_DEPTH) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => findSecrets(item, showElement(path, index), depth + 1));
  }
  if (!isTable(value)) return [];
  return Object.keys(value).flatMap((key) => {
    const at = showKey(path, key);
    return [...(looksLikeSecret(key) ? [found(at)] : []), ...findSecrets(value[key], at, depth + 1)];
  });
}

/** One bad element makes its whole list unusable, so what is broken is the key without its index. */
function found(path: string): Finding {
  return { path, message: adviceFor(path), breaks: [path.replace(/\[.*$/, '')] };
}

export function adviceFor(path: string): string {
  const remedy = path.startsWith('redis')
    ? 'set the environment variable MERGEXO_REDIS_URL or MERGEXO_REDIS_PASSWORD instead'
    : 'secrets come from environment variables or from the logins of the tools themselves';
  return `holds a secret (not shown here); remove it from the file: ${remedy}`;
}
