import { z } from 'zod';

export type KeyNotes = {
  /** One or two sentences of Markdown. */
  about: string;
  /** The behavior if the key is absent and the schema has no fixed default. */
  absent?: string;
  /** A valid value. Required if the key has no default. */
  example?: string | number | boolean | readonly string[];
};

export type Section<Shape extends z.ZodRawShape = z.ZodRawShape> = {
  readonly title: string;
  readonly about: string;
  readonly shape: Shape;
  /** True for a table that the file need not contain, although some of its keys are required. */
  readonly isOptional?: boolean;
};

const notes = z.registry<KeyNotes>();

/** Attaches documentation to a key, so that the schema is the only source of the docs. */
export function key<Schema extends z.ZodType>(schema: Schema, keyNotes: KeyNotes): Schema {
  notes.add(schema, keyNotes);
  return schema;
}

export function notesOf(schema: z.core.$ZodType): KeyNotes {
  const found = notes.get(schema);
  if (found === undefined) throw new Error('a config key is undocumented: declare it with key()');
  return found;
}

/** Returns the default of a key; undefined if the key is required or has no default. */
export function defaultOf(schema: z.core.$ZodType): unknown {
  return z.safeParse(schema, undefined).data;
}

export function isRequired(schema: z.core.$ZodType): boolean {
  return !z.safeParse(schema, undefined).success;
}
