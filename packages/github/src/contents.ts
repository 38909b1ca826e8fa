import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { createFind } from './fetch-unless-gone.js';
import type { Requests } from './http/requests.js';

/** GitHub omits the content of files above this size. A document is never that long. */
const MOST_BYTES = 1_000_000;

const Entry = z.object({
  type: z.string(),
  size: z.int(),
  content: z.string().optional(),
  encoding: z.string().optional(),
});
/** For a directory, GitHub returns a list of entries, which becomes null. */
const Content = z.union([Entry, z.array(z.unknown()).transform(() => null)]);

export function createContents(requests: Requests) {
  const find = createFind(requests);
  return {
    /**
     * Returns the text of a file at a branch, tag or commit; null if there is no such file. Fails with 'invalid-data'
     * if the file is larger than a megabyte or not UTF-8.
     */
    async fetchFileAt(repo: string, path: string, ref: string): Promise<string | null> {
      if (!isInside(path)) return null;
      const encoded = path.split('/').map(encodeURIComponent).join('/');
      const found = await find({ repo, path: `contents/${encoded}`, query: { ref } }, Content);
      return toText(found, `${path} of ${repo} at ${ref}`);
    },
  };
}

/** Rejects a path with empty, `.` or `..` parts, because it would send our token to other parts of the API. */
function isInside(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function toText(entry: z.infer<typeof Content>, what: string): string | null {
  if (entry?.type !== 'file') return null;
  const { size, content, encoding } = entry;
  if (size > MOST_BYTES || content === undefined || encoding !== 'base64')
    throw new Failure('invalid-data', `${what} has ${size} bytes, more than the limit of ${MOST_BYTES}.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
  } catch (cause) {
    throw new Failure('invalid-data', `${what} is not UTF-8 text.`, { cause });
  }
}
