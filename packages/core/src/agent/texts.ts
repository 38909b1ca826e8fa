import { z } from 'zod';

/** Comments, reviews and pull request bodies: below GitHub's 65,536, with room for the lines that we add. */
export const MAX_BODY = 60_000;

/** A file rather than a comment, so GitHub's limit for comments does not bind it. */
export const MAX_DOCUMENT = 200_000;

/** JSON Schema counts code points where JavaScript counts UTF-16 units; both sides must agree on the cap. */
function capped(max: number, base: z.ZodString) {
  return base
    .refine((value) => countCodePoints(value, max) <= max, `must have at most ${max} characters`)
    .meta({ maxLength: max });
}

export const text = (max: number) => capped(max, z.string().min(1, 'must not be empty'));

/** Also nothing at all. */
export const freeText = (max: number) => capped(max, z.string());

/** Control characters and direction overrides could make a title show something else than it says. */
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

/** The subject becomes a title on GitHub, the rest is free. */
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

/** A place inside the repository, as a plain path or a glob. */
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
  // Counting is only needed where the answer is not clear: a code point has one or two units.
  if (value.length <= max || value.length > 2 * max) return value.length;
  return Array.from(value).length;
}
