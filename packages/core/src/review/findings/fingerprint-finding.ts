import { createHash } from 'node:crypto';
import type { Finding } from './finding.js';

/** Raised when the ingredients change, so that old and new fingerprints never collide. */
const VERSION = 1;
/** A line with fewer letters and digits, such as `} else {`, stands in every file many times. */
const MIN_TELLING = 6;
const MAX_ANCHOR = 500;

type Place = {
  /** What stands on the line of the finding; undefined where the diff does not show it. */
  lineText: string | undefined;
  /** The how-manieth finding of the same place, from 0. */
  ordinal: number;
};

/**
 * The same finding has the same fingerprint in every round: it is made of the code that it is about, neither of the line's
 * number, which moves, nor of the reviewer's wording. Without code it is made of what its first sentence says.
 */
export function fingerprintFinding(
  { path, category, body }: Pick<Finding, 'path' | 'category' | 'body'>,
  { lineText, ordinal }: Place,
): string {
  const anchor = readAnchor(lineText) ?? ['words', readFirstSentence(body)];
  return createHash('sha256')
    .update(JSON.stringify([VERSION, path, category, ...anchor, ordinal]))
    .digest('hex')
    .slice(0, 32);
}

function readAnchor(lineText: string | undefined): ['code', string] | undefined {
  const text = (lineText ?? '').slice(0, MAX_ANCHOR).replace(/\s+/g, ' ').trim();
  const telling = text.match(/[\p{L}\p{N}]/gu) ?? [];
  return telling.length < MIN_TELLING ? undefined : ['code', text];
}

function readFirstSentence(body: string): string {
  const [first = ''] = body.trim().split(/(?<=[.!?])\s|\n/, 1);
  const words =
    first
      .slice(0, MAX_ANCHOR)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return words.filter((word) => /\p{L}/u.test(word)).join(' ');
}
