import { compilePattern } from '@mergexo/core/text';
import { z } from 'zod';
import { kind } from './kind.js';

export const flag = () => kind('true or false', z.boolean());

export const wholeNumber = (min: number, max: number) =>
  kind(`a whole number from ${min} to ${max}`, z.int().min(min).max(max));

export const decimal = (min: number, max: number) =>
  kind(`a number from ${min} to ${max}`, z.number().min(min).max(max));

export const seconds = (min: number, max: number) =>
  kind(`a number of seconds from ${min} to ${max}`, z.number().min(min).max(max));

/**
 * Accepts `loopbackMin` to `max` seconds. A later cross-check enforces `min` unless `github.api_url` is a loopback
 * address.
 */
export const secondsOnGitHub = (bounds: { min: number; loopbackMin: number; max: number }) =>
  kind(
    `a number of seconds from ${bounds.min} to ${bounds.max} (from ${bounds.loopbackMin} if github.api_url is a loopback address)`,
    z.number().min(bounds.loopbackMin).max(bounds.max),
  );

export const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  kind(`one of ${choices.map((choice) => `"${choice}"`).join(', ')}`, z.enum(choices));

export const choices = <const Choices extends readonly [string, ...string[]]>(names: Choices) =>
  kind(
    `a list of ${names.map((name) => `"${name}"`).join(', ')}, at least one and each once`,
    z
      .array(z.enum(names))
      .min(1)
      .refine((list) => new Set(list).size === list.length),
  );

/**
 * False if the text has control characters. For example, Node refuses to start a program if an argument contains a NUL.
 */
export const isPrintable = (text: string) => !/\p{Cc}/u.test(text);

/** Accepts a model or profile name. The name becomes a command-line argument, so it must not look like an option. */
export const word = () =>
  kind(
    'a name of 1 to 100 characters without spaces that does not start with a hyphen',
    z.string().regex(/^[^\s\p{C}-][^\s\p{C}]{0,99}$/u),
  );

export const regularExpression = () =>
  kind(
    'a regular expression of 1 to 200 characters in RE2 syntax',
    z.string().min(1).max(200).refine(isPrintable).superRefine(refuseUnsupported),
  );

function refuseUnsupported(source: string, context: z.RefinementCtx): void {
  if (source.length > 200) return;
  const compiled = compilePattern(source);
  if (compiled.kind === 'compiled') return;
  const complaint = `expected a regular expression in RE2 syntax: ${compiled.reason}`;
  context.addIssue({ code: 'custom', params: { complaint } });
}
