import { Failure, type FailureKind } from '@mergexo/core/basics';
import { z } from 'zod';

/** The answer as we know it, or a failure that says what is wrong with it. */
export function checkAnswer<S extends z.ZodType>(
  schema: S,
  data: unknown,
  what: string,
  otherwise: FailureKind = 'invalid-data',
): z.infer<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new Failure(
    otherwise,
    `GitHub answered ${what} with something else: ${z.prettifyError(parsed.error)}`,
  );
}
