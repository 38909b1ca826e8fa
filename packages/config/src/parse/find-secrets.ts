import { looksLikeSecret } from '../values/looks-like-secret.js';
import { showElement, showKey } from '../values/show-value.js';
import { isTable } from '../values/toml-table.js';
import type { Finding } from './finding.js';

/**
 * Maximum depth that is checked. No schema key is nested this deeply. Deeper content has an unknown parent, which is
 * reported without its content.
 */
const MAX_DEPTH = 16;

/** Checks every string and key in the file, including unknown keys. Messages never contain the secret. */
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

/** Reports a secret. Marks the whole list as broken, because one invalid element makes the list unusable. */
function found(path: string): Finding {
  return { path, message: adviceFor(path), breaks: [path.replace(/\[.*/s, '')] };
}

export function adviceFor(path: string): string {
  const remedy = path.startsWith('redis')
    ? 'set the environment variable MERGEXO_REDIS_URL or MERGEXO_REDIS_PASSWORD'
    : 'use an environment variable or the login of the tool';
  return `contains a secret (not shown). Remove it from the file and ${remedy}`;
}
