import { TurnPackage } from '../agent/turn-package.js';
import { sanitiseLine, sanitiseOutput, sanitiseText } from './sanitise-text.js';

/** Sanitisers by field name. Any other field is a single line: a title, a name, a path or an id. */
const TEXTS: ReadonlyMap<string, (text: string) => string> = new Map([
  ['body', sanitiseText],
  ['summary', sanitiseText],
  ['state_summary', sanitiseText],
  ['diff_hunk', sanitiseOutput],
  ['replacement', sanitiseOutput],
]);

/** Sanitises every string in the package, including fields added later. */
export function sanitisePackage(turn: TurnPackage): TurnPackage {
  return TurnPackage.parse(sanitiseValue('', turn));
}

function sanitiseValue(name: string, value: unknown): unknown {
  if (typeof value === 'string') return (TEXTS.get(name) ?? sanitiseLine)(value);
  if (Array.isArray(value)) return value.map((item) => sanitiseValue(name, item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, sanitiseValue(key, item)]));
}
