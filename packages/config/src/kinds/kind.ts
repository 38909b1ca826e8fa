import { z } from 'zod';

const allowedTexts = z.registry<{ allowed: string }>();

/** Attaches a description of the accepted values for error messages and the docs. */
export function kind<Schema extends z.ZodType>(allowed: string, schema: Schema): Schema {
  allowedTexts.add(schema, { allowed });
  return schema;
}

/** Reads the description of a schema, including one inside `.default()` or `.optional()`. */
export function allowedBy(schema: z.core.$ZodType): string {
  const own = allowedTexts.get(schema)?.allowed;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return allowedBy(schema.unwrap());
  throw new Error('a config key does not describe its accepted values: create its schema with kind()');
}
