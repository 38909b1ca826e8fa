import { createHash } from 'node:crypto';
import type { Finding } from './finding.js';

/** Increase this number when the inputs change, so that old and new fingerprints never collide. */
const VERSION = 1;
/** Minimum number of letters and digits in an identifying line. Lines such as `} else {` occur many times in a file. */
const MIN_TELLING = 6;
const MAX_ANCHOR = 500;

type Place = {
  /** The text of the finding's line; undefined if the diff does not contain the line. */
  lineText: string | undefined;
  /** 0-based position among the findings at the same place. */
  ordinal: number;
};

/**
 * Computes the same fingerprint for the same finding in every round. Uses the line of code, because line numbers and
 * the reviewer's wording change. Without an identifying line, uses the first sentence.
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
