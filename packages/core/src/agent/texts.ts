import { z } from 'zod';

/**
 * Limit for comments, reviews and pull request bodies: below GitHub's 65,536, with room for lines that MergeXO adds.
 */
export const MAX_BODY = 60_000;

/** Limit for documents. GitHub's limit for comments does not apply, because a document is a file. */
export const MAX_DOCUMENT = 200_000;

/** Limits the length in code points, as JSON Schema does. JavaScript counts UTF-16 units instead. */
function capped(max: number, base: z.ZodString) {
  return base
    .refine((value) => countCodePoints(value, max) <= max, `must have at most ${max} characters`)
    .meta({ maxLength: max });
}

export const text = (max: number) => capped(max, z.string().min(1, 'must not be empty'));

/** Text that, unlike `text`, may be empty. */
export const freeText = (max: number) => capped(max, z.string());

/** Rejects control characters and direction overrides, which could make a title display different text. */
export const line = (max: number) =>
  capped(
    max,
    z
      .string()
      .min(1, 'must not be empty')
      .regex(
        /^[^\p{Cc}\u2028-\u202e\u2066-\u2069]+$/u,
        'must be one line without control or direction characters',
      ),
  );

/** Restricts only the subject of the message, because the subject becomes a title on GitHub. */
export const commitMessage = () =>
  capped(
    10_000,
    z
      .string()
      .regex(
        /^[^\p{Cc}\s][^\p{Cc}\u2028-\u202e\u2066-\u2069]{0,199}(?:\n[\s\S]*)?$/u,
        'must begin with a subject line of 1 to 200 characters',
      ),
  );

/** A path inside the repository, plain or as a glob. */
export const repoPath = () =>
  capped(
    500,
    z
      .string()
      .regex(
        /^(?![/~-])(?!(?:.*\/)?\.\.(?:\/|$))[^\p{Cc}\\]+$/u,
        'must be a path inside the repository: relative, with forward slashes, without ".."',
      ),
  );

function countCodePoints(value: string, max: number): number {
  // A code point has one or two units, so code points are counted only when the length in units is ambiguous.
  if (value.length <= max || value.length > 2 * max) return value.length;
  return Array.from(value).length;
}
