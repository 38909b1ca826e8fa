/** `overhead` is the length of everything around the text. */
export type Need = { overhead: number; length: number };

/** Minimum useful length of a cut text. A text that would get less space is omitted. */
const LEAST_USEFUL = 400;

/**
 * Returns how many characters of each text to show, or null to omit the text. Short texts stay whole, and long texts
 * share the rest evenly. If even that exceeds the space, omits the first texts, which are the oldest. `mayOmit` is
 * false for texts that the agent must answer.
 */
export function shareRoom(needs: readonly Need[], room: number, mayOmit: boolean): (number | null)[] {
  const least = ({ overhead, length }: Need): number => overhead + Math.min(length, LEAST_USEFUL);
  let left = needs.reduce((sum, need) => sum + least(need), 0);
  let omitted = 0;
  for (; mayOmit && left > room && omitted < needs.length; omitted += 1) left -= least(pick(needs, omitted));
  const kept = needs.slice(omitted);
  const limit = findLimit(kept, room - kept.reduce((sum, { overhead }) => sum + overhead, 0));
  return [...needs.slice(0, omitted).map(() => null), ...kept.map(({ length }) => Math.min(length, limit))];
}

/** Returns the largest length limit at which all texts fit. */
function findLimit(needs: readonly Need[], room: number): number {
  let left = room;
  const lengths = needs.map(({ length }) => length).sort((a, b) => a - b);
  for (const [index, length] of lengths.entries()) {
    const share = Math.floor(left / (lengths.length - index));
    if (length > share) return Math.max(share, 0);
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function pick(needs: readonly Need[], index: number): Need {
  return needs[index] ?? { overhead: 0, length: 0 };
}
