import { z } from 'zod';
import { isPrintable } from './basics.js';
import { kind } from './kind.js';

const isTame = (path: string) => isPrintable(path) && !path.includes('\\') && path.length <= 300;

/** A path inside a repository. `.git` is out of bounds: whatever stands there belongs to git. */
export const relativePath = () =>
  kind(
    'a path relative to the root of the repository, without "..", "." or ".git" in it',
    z.string().refine((path) => isTame(path) && path.split('/').every(isPlainSegment)),
  );

function isPlainSegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/^[-~]|^\.git$/i.test(segment);
}

/** A relative path would mean another directory for every process that is started somewhere else. */
export const directory = () =>
  kind(
    'an absolute path, or one that begins with ~/, without ".."',
    z.string().refine((path) => isTame(path) && isAnchored(path)),
  );

const PROGRAM = 'the name of a program on PATH, an absolute path, or one that begins with ~/';

/** No relative path with a slash: the agent's working directory is a checkout that nobody trusts. */
export const program = () => kind(PROGRAM, z.string().superRefine(refuseOtherPrograms([])));

/** Complains about a program at `path` inside the value, and says why a relative path is none. */
export const refuseOtherPrograms =
  (path: number[]) =>
  (name: string, context: z.RefinementCtx): void => {
    if (isProgram(name)) return;
    const why = /^[^/~-].*\//.test(name)
      ? 'a relative path would name a file of the checkout that the agent runs in; '
      : '';
    context.addIssue({ code: 'custom', path, params: { complaint: `${why}allowed: ${PROGRAM}` } });
  };

const isProgram = (path: string) => isTame(path) && (isAnchored(path) || /^[\w.+][\w.+-]*$/.test(path));

function isAnchored(path: string): boolean {
  return /^~?\/[^/]/.test(path) && !path.split('/').includes('..');
}
