import {
  detectFileType,
  type FileType,
  findGuid,
  findUploadHosts,
  type PlacedUpload,
  type UploadPlace,
  type UploadProblem,
} from '@mergexo/core/attachments';
import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { createFetch } from '../http/create-fetch.js';
import type { Requests } from '../http/requests.js';
import type { Connection } from '../http/send.js';
import { createLimitedMap } from '../memory/limited-map.js';
import { type Downloaded, download } from './download.js';
import { findSignedUrl } from './find-signed-url.js';

export type FetchedUpload =
  | { kind: 'file'; type: FileType; bytes: Buffer }
  | { kind: 'missing'; problem: UploadProblem };

const TIMEOUT_MS = 20_000;
/** How long the HTML is cached. The signed URLs in it are valid for 5 minutes. */
const KEEP_HTML_MS = 60_000;
const MAX_TEXTS = 20;

const Rendered = z.object({ body_html: z.string().default('') });

/** Creates the functions that download files from issues, pull requests and comments. */
export function createUploads(connection: Connection, requests: Pick<Requests, 'getIfChanged'>) {
  const hosts = findUploadHosts(connection.apiUrl);
  const { userAgent, timeoutMs = TIMEOUT_MS } = connection;
  const options = { hosts, userAgent, timeoutMs, fetch: createFetch(connection.proxy) };
  const fetchHtml = createFetchHtml(connection, requests);

  /**
   * Tries the plain URL without the token first. GitHub serves images of private repositories only from a
   * signed URL, which is in the HTML of the text. It serves other private files only to some kinds of tokens.
   */
  const fetchBytes = async (repo: string, { url, place }: PlacedUpload): Promise<Downloaded> => {
    const open = await download(url, options);
    if (open.kind !== 'refused') return open;
    if (findGuid(url) === undefined)
      return download(url, { ...options, token: await connection.token(repo) });
    const signed = findSignedUrl(await fetchHtml(repo, place), url, hosts);
    return signed === undefined ? open : download(signed, options);
  };

  return {
    /** Returns the file, or the reason why there is none. Throws a `Failure` if GitHub's API fails. */
    async fetchUpload(repo: string, upload: PlacedUpload): Promise<FetchedUpload> {
      const fetched = await fetchBytes(repo, upload);
      if (fetched.kind === 'missing') return fetched;
      if (fetched.kind === 'refused') return { kind: 'missing', problem: explainStatus(fetched.status) };
      const type = detectFileType(fetched.bytes, upload.url);
      return type === undefined
        ? { kind: 'missing', problem: 'wrong_type' }
        : { kind: 'file', type, bytes: fetched.bytes };
    },
  };
}

/** Fetches the HTML of a text. Caches the HTML briefly, because one comment often has several images. */
function createFetchHtml({ now }: Connection, requests: Pick<Requests, 'getIfChanged'>) {
  const known = createLimitedMap<{ html: string; until: number }>(MAX_TEXTS);
  return async (repo: string, place: UploadPlace): Promise<string> => {
    const path = `/repos/${repo}/${pathOf(place)}`;
    const kept = known.get(path);
    if (kept !== undefined && kept.until > now()) return kept.html;
    const html = await fetchFull(requests, path);
    known.set(path, { html, until: now() + KEEP_HTML_MS });
    return html;
  };
}

async function fetchFull(requests: Pick<Requests, 'getIfChanged'>, path: string): Promise<string> {
  try {
    return (await requests.getIfChanged(path, Rendered, { media: 'full' }))?.data.body_html ?? '';
  } catch (error) {
    // The text was deleted after the turn began.
    if (error instanceof Failure && error.kind === 'not-found') return '';
    throw error;
  }
}

function pathOf(place: UploadPlace): string {
  switch (place.kind) {
    case 'issue':
      return `issues/${place.id}`;
    case 'pull':
      return `pulls/${place.id}`;
    case 'comment':
      return `issues/comments/${place.id}`;
    case 'review_comment':
      return `pulls/comments/${place.id}`;
    case 'review':
      return `pulls/${place.prNumber}/reviews/${place.id}`;
  }
}

/** A store answers 403 to an expired signature. GitHub hides a file that the client may not read behind a 404. */
function explainStatus(status: number): UploadProblem {
  if (status === 403) return 'expired';
  return status >= 500 || status === 429 ? 'unavailable' : 'not_readable';
}
