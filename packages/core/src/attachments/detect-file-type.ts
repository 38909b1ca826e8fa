import type { FileType } from './upload.js';

/** The signature of each type: its first bytes, in hex. */
const MARKS: readonly (readonly [FileType, RegExp])[] = [
  ['png', /^89504e470d0a1a0a/],
  ['jpg', /^ffd8ff/],
  ['gif', /^47494638(?:37|39)61/],
  ['webp', /^52494646.{8}57454250/],
  ['pdf', /^255044462d/],
];
const TEXTS: readonly FileType[] = ['txt', 'log', 'json', 'csv', 'md'];
/** Matches HTML, SVG and XML, which may contain scripts, even if the name has another extension. */
const MARKUP = /^\s{0,1000}<(?:[!?]|html|svg|head|body|script)/i;

/**
 * Detects the type of a file from its first bytes, because the name may be wrong and some models reject an
 * image with the wrong extension. Text has no signature, so it must be UTF-8 and its name must have a known
 * extension. Returns undefined for any other file.
 */
export function detectFileType(bytes: Uint8Array, url: string): FileType | undefined {
  const start = [...bytes.subarray(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const marked = MARKS.find(([, mark]) => mark.test(start))?.[0];
  if (marked !== undefined) return marked;
  const extension = /\.(\w{1,10})$/.exec(url)?.[1]?.toLowerCase();
  const type = TEXTS.find((name) => name === extension);
  return type !== undefined && isPlainText(bytes) ? type : undefined;
}

function isPlainText(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.trim() !== '' && !text.includes('\0') && !MARKUP.test(text);
  } catch {
    return false;
  }
}
