import { countOf } from '../text/count-of.js';
import { enclose } from './fence.js';
import { type Part, type Quote, VALUES } from './part.js';
import { MAX_REPAIR } from './repair-prompts.js';
import { shareRoom } from './share-room.js';

/**
 * Maximum length in characters, about 50,000 tokens. Codex rejects a million characters, and agents lose track of the
 * task long before that.
 */
export const MAX_PROMPT = 200_000;

/** The full text of a quote that the prompt cuts or omits. The worker puts the file next to the checkout. */
export type PromptFile = { name: string; text: string };
export type Prompt = { text: string; files: PromptFile[] };

/** `filesDir` is the directory in which the agent finds the files. */
type Room = { filesDir: string; max?: number };

const GAP = '\n\n';
/** Maximum length of the note about a cut, without the file's path. */
const MAX_NOTE = 120;

/**
 * Joins the parts in their order. If the parts are too long, cuts the least valuable quotes first, notes each cut in
 * the prompt and returns the whole texts as files. The result has at most `max` characters. By default, it leaves space
 * for a repair.
 */
export function assemblePrompt(
  parts: readonly Part[],
  { filesDir, max = MAX_PROMPT - MAX_REPAIR }: Room,
): Prompt {
  const quotes = parts.filter((part) => typeof part !== 'string');
  const own = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length + GAP.length : 0), 0);
  const notes = VALUES.length * (MAX_NOTE + filesDir.length + GAP.length);
  const sizes = shareByValue(quotes, max - own - notes, filesDir.length);
  const omitted = quotes.filter((quote) => sizes.get(quote) === null);
  const files: PromptFile[] = [];
  const texts = parts.flatMap((part): string[] => {
    if (typeof part === 'string') return [part];
    const size = sizes.get(part) ?? null;
    if (size === null) {
      if (omitted.find(({ value }) => value === part.value) !== part) return [];
      const left = omitted.filter(({ value }) => value === part.value);
      const name = `omitted-${part.value}.txt`;
      files.push({ name, text: left.map((quote) => enclose(quote.name, quote.text)).join(GAP) });
      return [
        `Omitted because the prompt is full: ${countOf(left.length, 'item')}. Read ${filesDir}/${name} if needed.`,
      ];
    }
    if (size >= part.text.length) return [enclose(part.name, part.text)];
    const name = `text-${files.length + 1}.txt`;
    files.push({ name, text: part.text });
    return [renderCut(part, size, `${filesDir}/${name}`)];
  });
  return { text: texts.join(GAP), files };
}

/** Gives each kind of quote the space that the more valuable kinds leave. */
function shareByValue(quotes: readonly Quote[], room: number, pathLength: number): Map<Quote, number | null> {
  const sizes = new Map<Quote, number | null>();
  let left = room;
  for (const value of VALUES) {
    const group = quotes.filter((quote) => quote.value === value);
    const needs = group.map(({ name, text, max }) => ({
      overhead: enclose(name, '').length + GAP.length + MAX_NOTE + pathLength,
      length: Math.min(text.length, max),
    }));
    for (const [index, size] of shareRoom(needs, left, value !== 'event').entries()) {
      const [quote, need] = [group[index], needs[index]];
      if (quote === undefined || need === undefined) continue;
      sizes.set(quote, size);
      if (size !== null) left -= need.overhead + size;
    }
  }
  return sizes;
}

function renderCut({ name, text, keeps }: Quote, size: number, path: string): string {
  const piece = keeps === 'start' ? text.slice(0, size) : text.slice(text.length - size);
  // A cut must not leave half a character at either end.
  const whole = piece.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  const which = keeps === 'start' ? 'first' : 'last';
  const note = `${which} ${size} of ${text.length} characters; the whole text is in ${path}`;
  return enclose(name, whole, ` (${note})`);
}
