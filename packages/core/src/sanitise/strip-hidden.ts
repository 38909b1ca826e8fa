/**
 * Emoji need a few characters that are hidden elsewhere: a joiner between two pictographs, a variation selector after
 * one, and the tags of three flags. These characters stay only in those positions.
 */
const PICTURE = String.raw`\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|[\ufe0e\ufe0f])?`;
const FLAG = ['gbeng', 'gbsct', 'gbwls'].map(toTags).join('|');
const EMOJI = String.raw`\u{1f3f4}(?:${FLAG})\u{e007f}|[0-9#*]\ufe0f\u20e3|${PICTURE}(?:\u200d${PICTURE})*`;

/** Visible format characters: the number signs of Arabic, Syriac and Kaithi. */
const SEEN = String.raw`\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}`;

/** Blank characters that Unicode classifies as symbols or marks. */
const BLANK = String.raw`\ufffc\u{16fe4}\u{1d159}`;

/**
 * All invisible characters: controls, joiners, direction marks, tags, selectors, fillers, soft hyphens. Joiners and
 * selectors inside words (Persian, Indic and Mongolian scripts, ideograph variants) are removed too, because they could
 * encode hidden data. The words stay readable.
 */
const HIDDEN = String.raw`(?![${SEEN}])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}${BLANK}]`;

const KEPT_OR_HIDDEN = new RegExp(`(${EMOJI})|(?:(?![\\n\\t])${HIDDEN})+`, 'gu');

export type Stripped = { text: string; removed: number };

/** Removes invisible characters. Idempotent. */
export function stripHidden(text: string): Stripped {
  let removed = 0;
  const stripped = text
    .replace(/\r\n?/g, '\n')
    .replace(/[\v\f\u0085\u2028\u2029\u2800]/g, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .replace(KEPT_OR_HIDDEN, (found: string, emoji: string | undefined) => {
      if (emoji !== undefined) return emoji;
      removed += Array.from(found).length;
      return '';
    });
  return { text: stripped, removed };
}

function toTags(letters: string): string {
  return Array.from(letters, (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join(
    '',
  );
}
