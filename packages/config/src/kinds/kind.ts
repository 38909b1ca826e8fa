import { z } from 'zod';

const allowedTexts = z.registry<{ allowed: string }>();

/** Gives a schema the words for what it accepts; complaints and documentation both quote them. */
export function kind<Schema extends z.ZodType>(allowed: string, schema: Schema): Schema {
  allowedTexts.add(schema, { allowed });
  return schema;
}

/** Looks through `.default()` and `.optional()` for the words of the kind inside. */
export function allowedBy(schema: z.core.$ZodType): string {
  const own = allowedTexts.get(schema)?.allowed;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) return allowedBy(schema.unwrap());
  throw new Error('a configuration key has no words for what it allows: make its schema with kind()');
}
