import { z } from 'zod';
import { isPrintable } from './basics.js';
import { kind } from './kind.js';

const isTame = (path: string) => isPrintable(path) && !path.includes('\\') && path.length <= 300;

/** Accepts a path inside a repository, but not inside `.git`. */
export const relativePath = () =>
  kind(
    'a path relative to the root of the repository, without "..", "." or ".git" in it',
    z.string().refine((path) => isTame(path) && path.split('/').every(isPlainSegment)),
  );

function isPlainSegment(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/^[-~]|^\.git$/i.test(segment);
}

/** Requires an absolute or `~/` path, because a relative path would depend on each process's working directory. */
export const directory = () =>
  kind(
    'an absolute path other than /, or a path that starts with ~/, without ".."',
    z.string().refine((path) => isTame(path) && isAnchored(path)),
  );

const PROGRAM = 'the name of a program on PATH, an absolute path, or a path that starts with ~/';

/** Rejects relative paths with a slash, because the agent's working directory is an untrusted checkout. */
export const program = () => kind(PROGRAM, z.string().superRefine(refuseOtherPrograms([])));

/** Reports an invalid program at `path` inside the value, and explains why a relative path is rejected. */
export const refuseOtherPrograms =
  (path: number[]) =>
  (name: string, context: z.RefinementCtx): void => {
    if (isProgram(name)) return;
    const complaint = /^[^/~-].*\//.test(name)
      ? `a relative path, which would run a file from the agent's checkout. Expected ${PROGRAM}`
      : `expected ${PROGRAM}`;
    context.addIssue({ code: 'custom', path, params: { complaint } });
  };

const isProgram = (path: string) => isTame(path) && (isAnchored(path) || /^[\w.+][\w.+-]*$/.test(path));

function isAnchored(path: string): boolean {
  return /^~?\/[^/]/.test(path) && !path.split('/').includes('..');
}
