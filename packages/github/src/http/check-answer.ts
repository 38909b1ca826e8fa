import { Failure, type FailureKind } from '@mergexo/core/basics';
import { z } from 'zod';

/** Returns the parsed response, or throws a failure that lists the validation errors. */
export function checkAnswer<S extends z.ZodType>(
  schema: S,
  data: unknown,
  { what, otherwise }: { what: string; otherwise: FailureKind },
): z.infer<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const message = `GitHub answered ${what} with unexpected data: ${z.prettifyError(parsed.error)}`;
  throw new Failure(otherwise, message);
}
