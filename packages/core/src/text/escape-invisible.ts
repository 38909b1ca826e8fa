/** Characters that JSON.stringify keeps and that can control a terminal or hide text: C1 controls, direction marks. */
const INVISIBLE = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Escapes the invisible characters in JSON. Its meaning stays the same. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE, (character) =>
    [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
