import { allSections } from '../sections/all-sections.js';
import { joinList } from '../values/join-list.js';
import { soundsSecret } from '../values/looks-like-secret.js';
import { showKey } from '../values/show-value.js';
import { suggestKey } from '../values/suggest-key.js';
import { toTomlKey } from '../values/to-toml-key.js';
import type { TomlTable } from '../values/toml-table.js';
import { adviceFor } from './find-secrets.js';
import type { Finding } from './finding.js';

type Place = { path: string; known: readonly string[]; secrets: readonly Finding[] };

/** Finds keys outside the schema, except those that are already reported as secrets. */
export function findUnknownKeys(raw: TomlTable, { path, known, secrets }: Place): Finding[] {
  return Object.keys(raw)
    .filter((key) => !known.includes(key))
    .map((key) => describe(path, key, known))
    .filter((finding) => !secrets.some((secret) => secret.path === finding.path));
}

/** Suggests the intended key. Never prints the value, which may be a secret under an unknown name. */
function describe(table: string, key: string, known: readonly string[]): Finding {
  const path = showKey(table, key);
  if (soundsSecret(key)) return { path, message: adviceFor(path), breaks: [path] };

  const homes = allSections.filter(({ shape }) => Object.keys(shape).map(toTomlKey).includes(key));
  if (homes.length > 0) {
    const titles = homes.map(({ title }) => `[${title}]`);
    return { path, message: `unknown key, which belongs in ${joinList(titles, 'or')}`, breaks: [path] };
  }
  const meant = suggestKey(key, known);
  if (meant !== undefined) {
    const message = `unknown key; did you mean ${meant}?`;
    return { path, message, breaks: [path, showKey(table, meant)] };
  }
  return { path, message: `unknown key; allowed: ${known.join(', ')}`, breaks: [path] };
}
