import { Failure } from '@mergexo/core/basics';
import { type Connection, type Send, timeoutOf } from './send.js';
import { toFailure } from './to-failure.js';

/** Files up to about this size are read completely. For larger files, only the end is requested. */
const WHOLE_BYTES = 1_000_000;
/** Maximum number of bytes that MergeXO reads from a server that cannot send only the end of a file. */
const MOST_BYTES = 50_000_000;

/** The end of a file. `isCut` is false if the text is the whole file. */
export type Tail = { text: string; isCut: boolean };

/** Reads the end of a file that GitHub stores on another server; null if the file is too large to read. */
export type GetTail = (path: string, maxBytes: number) => Promise<Tail | null>;

/** HTTP status of a response to a range request. */
const PARTIAL = 206;

type Download = (headers: Record<string, string>) => Promise<Response>;

/**
 * Creates the function that reads the end of a file. GitHub redirects to a signed URL on another host. That host gets
 * no token and no cookie.
 */
export function createGetTail(connection: Connection, send: Send): GetTail {
  return async (path, maxBytes) => {
    const what = `GET ${path}`;
    const address = (await send('GET', path, { stay: true }))?.headers.location;
    if (!isTrustworthy(address, connection.apiUrl))
      throw new Failure(
        'invalid-data',
        `GitHub answered ${what} without a redirect that MergeXO may follow.`,
      );
    const signal = timeoutOf(connection);
    const download: Download = (headers) =>
      fetch(address, {
        headers: { 'user-agent': connection.userAgent, 'accept-encoding': 'identity', ...headers },
        signal,
      });
    try {
      return await readTail(await openTail(download, maxBytes, what), maxBytes);
    } catch (error) {
      throw toFailure(error, { reads: true, what }, connection.now());
    }
  };
}

/** Accepts HTTPS. Accepts plain HTTP only if the API itself uses it, as a local API does. */
function isTrustworthy(address: string | undefined, apiUrl: string): address is string {
  if (address === undefined || !URL.canParse(address)) return false;
  return [new URL(apiUrl).protocol, 'https:'].includes(new URL(address).protocol);
}

async function openTail(download: Download, maxBytes: number, what: string): Promise<Response> {
  const whole = refuseMissing(await download({}), what);
  const size = Number(whole.headers.get('content-length'));
  if (size <= WHOLE_BYTES + maxBytes) return whole;
  await whole.body?.cancel();
  return refuseMissing(await download({ range: `bytes=${size - maxBytes}-` }), what);
}

/** Throws if there is no file. A signature authorizes the URL, so a 403 means an expired signature, not a bad token. */
function refuseMissing(response: Response, what: string): Response {
  if (response.ok) return response;
  void response.body?.cancel();
  if (response.status === 404 || response.status === 410)
    throw new Failure('not-found', `GitHub no longer has the file for ${what}.`);
  throw new Failure(
    'unavailable',
    `The file server for ${what} answered ${response.status}. MergeXO will retry.`,
  );
}

async function readTail({ body, status }: Response, maxBytes: number): Promise<Tail | null> {
  let tail = Buffer.alloc(0);
  let read = 0;
  for await (const chunk of body ?? []) {
    read += chunk.length;
    if (read > MOST_BYTES) return null;
    const joined = Buffer.concat([tail, chunk]);
    tail = joined.subarray(Math.max(0, joined.length - maxBytes));
  }
  const isCut = status === PARTIAL || read > maxBytes;
  return { text: tail.subarray(findCharacter(tail)).toString(), isCut };
}

/** Finds the start of the first complete character. At most three bytes of a cut character precede it. */
function findCharacter(bytes: Buffer): number {
  const start = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start < 0 ? 3 : start;
}
