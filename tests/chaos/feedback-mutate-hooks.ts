import type { InitializeHook, LoadHook } from 'node:module';
import type { Edit } from './feedback-mutants.js';

let edits: readonly Edit[] = [];

export const initialize: InitializeHook<readonly Edit[]> = (data) => {
  edits = data;
};

export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const mine = edits.filter(({ file }) => url.endsWith(`/${file}`));
  if (mine.length === 0) return loaded;
  const text =
    typeof loaded.source === 'string' ? loaded.source : Buffer.from(toBytes(loaded.source)).toString();
  return { ...loaded, source: mine.reduce(applyEdit, text) };
};

function toBytes(source: unknown): Uint8Array {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  throw new TypeError('cannot edit a module that has no source text');
}

/** Throws unless the text occurs exactly once. A mutant that changes nothing would prove nothing about the checker. */
export function applyEdit(text: string, { file, search, replacement }: Edit): string {
  const parts = text.split(search);
  if (parts.length !== 2)
    throw new Error(`${file} must contain the text once, but has it ${parts.length - 1} times: ${search}`);
  return parts.join(replacement);
}
