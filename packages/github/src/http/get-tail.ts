import { Failure } from '@mergexo/core/basics';
import { type Connection, type Send, timeoutOf } from './send.js';
import { toFailure } from './to-failure.js';

/** Up to here a file is read whole; of a longer one only the end is asked for. */
const WHOLE_BYTES = 1_000_000;
/** Where a server does not know how to send the end alone, this is the most that we read for it. */
const MOST_BYTES = 50_000_000;

/** The end of a file that GitHub keeps elsewhere; null when it is too large to be read to its end. */
export type GetTail = (path: string, maxBytes: number) => Promise<string | null>;

type Download = (headers: Record<string, string>) => Promise<Response>;

/** GitHub answers with a signed address on another host. That host gets nothing of ours: no token, no cookie. */
export function createGetTail(connection: Connection, send: Send): GetTail {
  return async (path, maxBytes) => {
    const what = `GET ${path}`;
    const address = (await send('GET', path, { stay: true }))?.headers.location;
    if (!isTrustworthy(address, connection.apiUrl))
      throw new Failure('invalid-data', `GitHub answered ${what} without an address that can be followed.`);
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

/** Plain HTTP only where GitHub itself is asked that way, which is on this machine. */
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

/** The signature is the only key there: a 403 means that it ran out, and says nothing about our token. */
function refuseMissing(response: Response, what: string): Response {
  if (response.ok) return response;
  void response.body?.cancel();
  if (response.status === 404 || response.status === 410)
    throw new Failure('not-found', `GitHub keeps no ${what} any more.`);
  throw new Failure('unavailable', `The store behind ${what} answered ${response.status}.`);
}

async function readTail({ body }: Response, maxBytes: number): Promise<string | null> {
  let tail = Buffer.alloc(0);
  let read = 0;
  for await (const chunk of body ?? []) {
    read += chunk.length;
    if (read > MOST_BYTES) return null;
    const joined = Buffer.concat([tail, chunk]);
    tail = joined.subarray(Math.max(0, joined.length - maxBytes));
  }
  return tail.subarray(findCharacter(tail)).toString();
}

/** The cut may go through a character, which has three bytes behind its first at most: its rest is left out. */
function findCharacter(bytes: Buffer): number {
  const start = bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start < 0 ? 3 : start;
}
