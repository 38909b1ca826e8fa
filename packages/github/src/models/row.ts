import { z } from 'zod';

type Field = readonly [theirs: string, schema: z.ZodType];
type Fields = Readonly<Record<string, Field>>;
type Row<F extends Fields> = { [Ours in keyof F]: z.output<F[Ours][1]> };

/**
 * Reduces GitHub's responses to the fields that MergeXO uses, under our names: `{ url: ['html_url', z.string()] }`.
 * Errors name a missing or wrong value by GitHub's field name.
 */
export function row<const F extends Fields>(fields: F) {
  return z.looseObject({}).transform((answer, context) => {
    const values = Object.entries(fields).map(([ours, [theirs, schema]]) => {
      const { data, error } = schema.safeParse(answer[theirs]);
      for (const { message, path } of error?.issues ?? [])
        context.addIssue({ code: 'custom', message, path: [theirs, ...path] });
      return [ours, data];
    });
    return toRow<F>(Object.fromEntries(values));
  });
}

/**
 * Types the values as a row. The compiler loses the key types in `Object.fromEntries`, so the type argument defines
 * the result type.
 */
function toRow<F extends Fields>(values: object): Row<F>;
function toRow(values: object): object {
  return values;
}

/** Null for a missing value, which GitHub either omits or sends as null. */
export const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value): z.output<Schema> | null => value ?? null);

/** Empty for null, which GitHub sends for an empty text. */
export const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
