import {
  isUploadHost,
  MAX_UPLOAD_BYTES,
  type UploadHosts,
  type UploadProblem,
} from '@mergexo/core/attachments';
import type { fetch, Response } from 'undici';

export type Downloaded =
  | { kind: 'file'; bytes: Buffer }
  | { kind: 'missing'; problem: UploadProblem }
  /** The server refuses the file to this client, or has no such file. */
  | { kind: 'refused'; status: number };

export type DownloadOptions = {
  hosts: UploadHosts;
  userAgent: string;
  timeoutMs: number;
  fetch: typeof fetch;
  /** Sent only to `hosts.web`, and not again after a redirect. */
  token?: string;
};

const MAX_REDIRECTS = 3;

/**
 * Downloads a file. Checks every URL before the request, because a redirect could lead to the local network. Never sends
 * the token after a redirect. The store may refuse a signed URL with 403; GitHub itself answers 404.
 */
export async function download(address: string, options: DownloadOptions): Promise<Downloaded> {
  try {
    return await follow(new URL(address), options);
  } catch {
    // The connection failed, the time limit was reached, or the body does not match its headers.
    return { kind: 'missing', problem: 'unavailable' };
  }
}

async function follow(start: URL, options: DownloadOptions): Promise<Downloaded> {
  let url = start;
  let { token } = options;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    if (!isUploadHost(url, options.hosts)) return { kind: 'missing', problem: 'foreign_redirect' };
    const response = await request(url, options, url.origin === options.hosts.web ? token : undefined);
    if (response.ok) return readBounded(response);
    await response.body?.cancel();
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null)
      return { kind: 'refused', status: response.status };
    if (!URL.canParse(location, url.href)) return { kind: 'missing', problem: 'foreign_redirect' };
    url = new URL(location, url);
    token = undefined;
  }
  return { kind: 'missing', problem: 'foreign_redirect' };
}

function request(
  url: URL,
  { userAgent, timeoutMs, fetch }: DownloadOptions,
  token: string | undefined,
): Promise<Response> {
  return fetch(url, {
    redirect: 'manual',
    credentials: 'omit',
    headers: {
      'user-agent': userAgent,
      'accept-encoding': 'identity',
      ...(token !== undefined && { authorization: `token ${token}` }),
    },
    // The limit includes the time to read the body.
    signal: AbortSignal.timeout(timeoutMs),
  });
}

/**
 * Reads at most `MAX_UPLOAD_BYTES`. Counts the bytes after decompression, because `fetch` decompresses even if the
 * request asked for plain bytes, and because the Content-Length header can be wrong.
 */
async function readBounded({ body, headers }: Response): Promise<Downloaded> {
  const tooLarge = { kind: 'missing', problem: 'too_large' } as const;
  if (Number(headers.get('content-length')) > MAX_UPLOAD_BYTES) {
    await body?.cancel();
    return tooLarge;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > MAX_UPLOAD_BYTES) return tooLarge;
    chunks.push(chunk);
  }
  return { kind: 'file', bytes: Buffer.concat(chunks) };
}
