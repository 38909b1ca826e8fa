import { z } from 'zod';

export type KeyNotes = {
  /** What the key is for, in one or two sentences of Markdown. */
  about: string;
  /** What applies when the key is absent and the schema has no fixed default. */
  absent?: string;
  /** A valid value; needed where there is no default to show. */
  example?: string | number | boolean | readonly string[];
};

export type Section<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly title: string;
  readonly about: string;
  readonly shape: Shape;
};

const notes = z.registry<KeyNotes>();

/** Attaches its documentation to a key, so that the schema is the one place that knows everything about it. */
export function key<Schema extends z.ZodType>(schema: Schema, keyNotes: KeyNotes): Schema {
  notes.add(schema, keyNotes);
  return schema;
}

export function notesOf(schema: z.core.$ZodType): KeyNotes {
  const found = notes.get(schema);
  if (found === undefined) throw new Error('a configuration key is undocumented: declare it with key()');
  return found;
}

/** The default of a key, or undefined if it has none; required keys have none either. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  return z.safeParse(schema, undefined).data;
}

export function isRequired(schema: z.core.$ZodType): boolean {
  return !z.safeParse(schema, undefined).success;
}
