import { z } from 'zod';
import { kind } from './kind.js';

export const flag = () => kind('true or false', z.boolean());

export const wholeNumber = (min: number, max: number) =>
  kind(`a whole number from ${min} to ${max}`, z.int().min(min).max(max));

export const decimal = (min: number, max: number) =>
  kind(`a number from ${min} to ${max}`, z.number().min(min).max(max));

export const seconds = (min: number, max: number) =>
  kind(`a number of seconds from ${min} to ${max}`, z.number().min(min).max(max));

/** The lower bound for production is a cross check, because it depends on where `github.api_url` points. */
export const secondsOnGitHub = (bounds: { min: number; loopbackMin: number; max: number }) =>
  kind(
    `a number of seconds from ${bounds.min} to ${bounds.max} (from ${bounds.loopbackMin} if github.api_url is loopback)`,
    z.number().min(bounds.loopbackMin).max(bounds.max),
  );

export const oneOf = <const Choices extends readonly [string, ...string[]]>(choices: Choices) =>
  kind(`one of ${choices.map((choice) => `"${choice}"`).join(', ')}`, z.enum(choices));

/** Control characters have no place in names, arguments or patterns, and a NUL would cut an argument short. */
export const isPrintable = (text: string) => !/\p{Cc}/u.test(text);

/** For names of models, profiles and the like, which end up as arguments: none may pass for an option. */
export const word = () =>
  kind(
    'a name of 1 to 100 characters without spaces, not beginning with a hyphen',
    z.string().regex(/^[^\s\p{C}-][^\s\p{C}]{0,99}$/u),
  );

export const regularExpression = () =>
  kind(
    'a JavaScript regular expression of 1 to 200 characters',
    z.string().min(1).max(200).refine(isPrintable).refine(compiles),
  );

function compiles(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}
