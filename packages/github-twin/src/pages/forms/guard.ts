import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

/** A page elsewhere can point a name of its own at this machine; only the machine's own names are answered. */
export function isLoopback({ host }: IncomingHttpHeaders): boolean {
  return host !== undefined && LOOPBACK.test(host);
}

/** Whether a form was sent by a page of ours: browsers tell where a POST comes from. */
export function isSameOrigin(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === `http://${headers.host}` && (site === undefined || site === 'same-origin');
}
