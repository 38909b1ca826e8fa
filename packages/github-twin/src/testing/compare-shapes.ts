import { z } from 'zod';

/** Keys with their types. A key that ends in `?` may be missing. */
export type Shape = { [key: string]: string | Shape };
export const Shape: z.ZodType<Shape> = z.lazy(() => z.record(z.string(), z.union([z.string(), Shape])));

/** Objects that occur in several places, by name. `newest` is the day of the newest source. */
export const Shapes = z.record(z.string(), z.object({ newest: z.string(), keys: Shape }));
type Shapes = z.infer<typeof Shapes>;

/** Older sources lack keys that GitHub has added since then, so an unknown key proves nothing. */
const RECENT = '2024';

type Wanted = { newest: string; body: string | Shape };

/** Creates a function that lists how a body differs from its recorded shape. */
export function createComparer(shapes: Shapes) {
  return (name: string, { newest, body: wanted }: Wanted, body: unknown): string[] => [
    ...new Set(compareWith({ at: name, isRecent: newest >= RECENT, body }, wanted)),
  ];

  type Seen = { at: string; isRecent: boolean; body: unknown };

  function compareWith(seen: Seen, wanted: string | Shape): string[] {
    return typeof wanted === 'string' ? compareTypes(seen, wanted) : compareKeys(seen, wanted);
  }

  function compareKeys({ at, isRecent, body }: Seen, wanted: Shape): string[] {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return [`${at}: is no object`];
    const sent = new Map<string, unknown>(Object.entries(body));
    const known = new Set(Object.keys(wanted).map((key) => key.replace(/\?$/, '')));
    const extra = isRecent ? [...sent.keys()].filter((key) => !known.has(key)) : [];
    return [
      ...extra.map((key) => `${at}.${key}: was never recorded`),
      ...Object.entries(wanted).flatMap(([name, type]) => {
        const key = name.replace(/\?$/, '');
        if (sent.has(key)) return compareWith({ at: `${at}.${key}`, isRecent, body: sent.get(key) }, type);
        return name === key ? [`${at}.${key}: is missing`] : [];
      }),
    ];
  }

  /** If several types are possible, reports only the differences from the closest one. */
  function compareTypes(seen: Seen, types: string): string[] {
    const tries = splitTypes(types).map((type) => compareType(seen, type));
    return tries.sort((a, b) => a.length - b.length)[0] ?? [];
  }

  function compareType(seen: Seen, type: string): string[] {
    const { at, body } = seen;
    if (type.startsWith('$')) {
      const shape = shapes[type.slice(1)];
      if (shape === undefined) throw new Error(`there is no shape ${type}`);
      // Named after the shape, so that one line covers every place where the shape occurs.
      const isRecent = shape.newest >= RECENT;
      return isObject(body) ? compareKeys({ at: type, isRecent, body }, shape.keys) : [wrongType(at, body)];
    }
    const rows = /^array<(.*)>$/.exec(type)?.[1];
    if (rows === undefined) return typeOf(body) === type ? [] : [wrongType(at, body)];
    if (!Array.isArray(body)) return [wrongType(at, body)];
    return rows === ''
      ? []
      : body.flatMap((row: unknown) => compareTypes({ ...seen, at: `${at}[]`, body: row }, rows));
  }
}

const isObject = (value: unknown): boolean => typeOf(value) === 'object';

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

const wrongType = (at: string, value: unknown): string => `${at}: is ${typeOf(value)}`;

/** Splits `null|array<$a|$b>` at the bars outside of lists. */
const splitTypes = (types: string): string[] => types.match(/array<[^>]*>|[^|]+/g) ?? [];
