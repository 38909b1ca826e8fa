import { decodeLayers, locateInLayerBelow, type Range } from './decode-layers.js';

/** Minimum length of a secret to find. Shorter values would also match ordinary words. */
const MIN_SECRET_LENGTH = 8;

/**
 * A text to search for in one view of a layer. `before` and `after` count the neighboring base64 digits that also
 * encode part of the secret.
 */
export type Needle = { text: string; view: 'plain' | 'base64' | 'lower'; before: number; after: number };

const VIEWS: Readonly<Record<Needle['view'], (layer: string) => string>> = {
  plain: (layer) => layer,
  // Replaces base64url digits with base64 digits.
  base64: (layer) => layer.replaceAll('-', '+').replaceAll('_', '/'),
  // Changes only ASCII, because other letters could change the length.
  lower: (layer) => layer.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
};

/** Builds the needles of a secret: the value itself, hexadecimal, and base64 at each of the three offsets. */
export function listNeedles(secret: string): Needle[] {
  if (secret.length < MIN_SECRET_LENGTH) return [];
  const bytes = Buffer.from(secret);
  const plain = [secret, bytes.toString('latin1')].flatMap(decodeLayers);
  const lower = [bytes.toString('hex'), ...(/^[0-9a-f]+$/i.test(secret) ? [secret.toLowerCase()] : [])];
  return [
    ...[...new Set(plain)]
      .filter(({ length }) => length >= MIN_SECRET_LENGTH)
      .map((text) => ({ text, view: 'plain' as const, before: 0, after: 0 })),
    ...lower.map((text) => ({ text, view: 'lower' as const, before: 0, after: 0 })),
    ...[0, 1, 2].map((offset) => toBase64(bytes, offset)),
  ];
}

/** Encodes the bytes as they appear `offset` bytes after a multiple of three, without digits shared with neighbors. */
function toBase64(bytes: Buffer, offset: number): Needle {
  const digits = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/={1,2}$/, '');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + bytes.length) * 8) / 6);
  return {
    text: digits.slice(first, last),
    view: 'base64',
    before: offset === 0 ? 0 : 1,
    after: last === digits.length ? 0 : 1,
  };
}

/** Finds the needles in the text and in its decoded layers. Takes linear time. */
export function findNeedles(text: string, needles: readonly Needle[]): Range[] {
  const layers = decodeLayers(text);
  return layers.flatMap((layer, depth) => {
    let ranges = findInLayer(layer, needles);
    for (let below = depth - 1; below >= 0 && ranges.length > 0; below -= 1)
      ranges = locateInLayerBelow(layers[below] ?? '', ranges);
    return ranges;
  });
}

function findInLayer(layer: string, needles: readonly Needle[]): Range[] {
  const views = { plain: VIEWS.plain(layer), base64: VIEWS.base64(layer), lower: VIEWS.lower(layer) };
  return needles.flatMap(({ text, view, before, after }) => {
    const ranges: Range[] = [];
    const searched = views[view];
    for (let at = searched.indexOf(text); at >= 0; at = searched.indexOf(text, at + text.length)) {
      const end = at + text.length;
      const from = /[\w+/]/.test(searched.charAt(at - 1)) ? at - before : at;
      const to = /[\w+/]/.test(searched.charAt(end)) ? end + after : end;
      const padding = view === 'base64' ? (/^={1,2}/.exec(searched.slice(to, to + 2))?.[0].length ?? 0) : 0;
      ranges.push({ from, to: to + padding });
    }
    return ranges;
  });
}
