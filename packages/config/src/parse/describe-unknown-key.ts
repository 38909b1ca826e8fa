import { allSections } from '../sections/all-sections.js';
import { soundsSecret } from '../values/looks-like-secret.js';
import { showKey } from '../values/show-value.js';
import { suggestKey } from '../values/suggest-key.js';
import { toTomlKey } from '../values/to-toml-key.js';
import { adviceFor } from './find-secrets.js';
import type { Finding } from './finding.js';

/** Says what was probably meant. The value is never shown: it may be a secret under a name that we do not know. */
export function describeUnknownKey(unknown: {
  path: string;
  key: string;
  known: readonly string[];
}): Finding {
  const { key, known } = unknown;
  const path = showKey(unknown.path, key);
  if (soundsSecret(key)) return { path, message: adviceFor(path), breaks: [path] };

  const homes = allSections.filter(({ shape }) => Object.keys(shape).map(toTomlKey).includes(key));
  if (homes.length > 0) {
    const tables = homes.map(({ title }) => `[${title}]`).join(' or ');
    return { path, message: `unknown key; it belongs in ${tables}`, breaks: [path] };
  }
  const meant = suggestKey(key, known);
  if (meant !== undefined) {
    return {
      path,
      message: `unknown key; did you mean ${meant}?`,
      breaks: [path, showKey(unknown.path, meant)],
    };
  }
  return { path, message: `unknown key; allowed: ${known.join(', ')}`, breaks: [path] };
}
