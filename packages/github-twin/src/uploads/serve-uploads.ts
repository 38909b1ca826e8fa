import { type Exchange, recordRequest } from '../http/exchange.js';
import { identify } from '../http/identify.js';
import { send } from '../http/send.js';
import { isSigned } from '../http/signed-path.js';
import type { Upload } from '../store/rows.js';
import { signUpload } from './upload.js';

export function isUploadPath(path: string): boolean {
  return path.startsWith('/user-attachments/') || path.startsWith('/_uploads/');
}

/** Serves uploads as GitHub does: the web server redirects to the file server, which needs only the signature. */
export function serveUpload(exchange: Exchange): void {
  const { world, request } = exchange;
  exchange.route = 'GET /user-attachments';
  exchange.identity = identify(world, request);
  const { status, location, body = Buffer.alloc(0) } = findAnswer(exchange);
  recordRequest(exchange, { status });
  const headers = { 'content-type': 'application/octet-stream', ...(location !== undefined && { location }) };
  send(exchange, { status, headers, body });
}

function findAnswer(exchange: Exchange): { status: number; location?: string; body?: Buffer } {
  const { world, path } = exchange;
  const stored = world.uploads.find(({ storedPath }) => storedPath === path);
  if (stored !== undefined) return isSigned(exchange) ? { status: 200, body: stored.bytes } : { status: 403 };
  const upload = world.uploads.find((row) => row.path === path);
  if (upload === undefined || !mayRead(upload, exchange)) return { status: 404 };
  return { status: 302, location: upload.redirect ?? signUpload(world, upload) };
}

/** As on GitHub, no token can read a private image. Only a browser session can open its URL. */
function mayRead({ isPrivate, path }: Upload, { identity }: Exchange): boolean {
  return !isPrivate || (identity !== undefined && path.startsWith('/user-attachments/files/'));
}
