import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import type { Requests } from './http/requests.js';

/** Above this GitHub leaves the content out, and a text for people is never so long. */
const MOST_BYTES = 1_000_000;

const Entry = z.object({
  type: z.string(),
  size: z.int(),
  content: z.string().optional(),
  encoding: z.string().optional(),
});
/** A directory comes as the list of what is in it. */
const Content = z.union([Entry, z.array(z.unknown()).transform(() => null)]);

export type Contents = ReturnType<typeof createContents>;

export function createContents(requests: Requests) {
  return {
    /**
     * The text of a file in a branch, tag or commit; null when there is no such file there. 'invalid-data' when it is
     * longer than a megabyte or no text.
     */
    async fetchFileAt(repo: string, path: string, ref: string): Promise<string | null> {
      if (!isInside(path)) return null;
      const url = `/repos/${repo}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
      const found = await fetchUnlessGone(requests, repo, () =>
        requests.get(url, Content, { query: { ref } }),
      );
      return found === null ? null : toText(found.data, `${path} of ${repo} at ${ref}`);
    },
  };
}

/** Dots would lead to other parts of the API, with our token. */
function isInside(path: string): boolean {
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function toText(entry: z.infer<typeof Content>, what: string): string | null {
  if (entry?.type !== 'file') return null;
  const { size, content, encoding } = entry;
  if (size > MOST_BYTES || content === undefined || encoding !== 'base64')
    throw new Failure('invalid-data', `${what} has ${size} bytes; ${MOST_BYTES} are read at most.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(content, 'base64'));
  } catch (cause) {
    throw new Failure('invalid-data', `${what} is no UTF-8 text.`, { cause });
  }
}
