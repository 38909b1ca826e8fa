import { looksLikeSecret } from './looks-like-secret.js';

const LONGEST_SHOWN = 60;
// Control, format (bidi, zero width, tags), surrogate and separator characters can fake or hide parts of a message.
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Renders a value for an error message: short, on one line, and without secrets. */
export function showValue(value: unknown): string {
  if (typeof value === 'string') return showText(value);
  if (Array.isArray(value)) return showList(value.length);
  if (value instanceof Date) return 'a date';
  if (typeof value === 'object' && value !== null) return 'a table';
  return String(value);
}

/** Appends a key to a dotted path, and quotes the key if TOML requires it. */
export function showKey(path: string, key: string): string {
  const shown = /^[A-Za-z0-9_-]{1,60}$/.test(key) && !looksLikeSecret(key) ? key : showText(key);
  return path === '' ? shown : `${path}.${shown}`;
}

export function showElement(path: string, index: number): string {
  return `${path}[${index}]`;
}

function showText(text: string): string {
  if (looksLikeSecret(text)) return '(hidden)';
  // Text before the @ of a URL may be a credential even if it does not look like a secret.
  const bare = text.slice(0, 4096).replace(/:\/\/[^/?#\s]*@/g, '://(hidden)@');
  const visible = bare.replace(INVISIBLE, escapeCharacter);
  return `"${visible.length > LONGEST_SHOWN ? `${visible.slice(0, LONGEST_SHOWN)}…` : visible}"`;
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16).padStart(4, '0')}}`;
}

function showList(length: number): string {
  if (length === 0) return 'an empty list';
  return length === 1 ? 'a list of 1 value' : `a list of ${length} values`;
}
