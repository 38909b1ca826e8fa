import { isLoopbackHost } from '@mergexo/core/basics';
import { z } from 'zod';
import { parseUrl } from '../values/is-loopback-url.js';
import { isPrintable } from './basics.js';
import { kind } from './kind.js';

const text = () => z.string().max(500).refine(isPrintable);

export const apiUrl = () =>
  kind(
    'an https:// URL (http:// only for a loopback host) without credentials, query or fragment',
    text().refine((value) => {
      const url = parseUrl(value);
      return url !== undefined && isWebUrl(url) && url.search === '' && url.hash === '';
    }),
  );

export const redisUrl = () =>
  kind(
    'a redis:// or rediss:// URL with a host, or unix:// with a path, without a password or a query',
    text().refine((value) => {
      const url = parseUrl(value);
      if (url?.protocol === 'unix:') return url.host === '' && url.pathname.length > 1 && url.search === '';
      if (url === undefined || !/^rediss?:$/.test(url.protocol)) return false;
      return url.hostname !== '' && url.password === '' && url.search === '' && url.hash === '';
    }),
  );

// The short form of an ssh URL: user@host:path.
const SCP_FORM = /^[\w.][\w.-]*@[A-Za-z\d][\w.-]*:[\w.~/][^\s\\]*$/;

export const remoteUrl = () =>
  kind(
    'an https:// or ssh:// URL, or user@host:path, without credentials (http:// and file:// only on loopback)',
    text().refine((value) => SCP_FORM.test(value) || isRemoteUrl(value)),
  );

function isRemoteUrl(value: string): boolean {
  const url = parseUrl(value);
  if (url === undefined || url.search !== '' || url.hash !== '') return false;
  if (url.protocol === 'file:') return url.host === '' && url.pathname.length > 1;
  if (url.protocol === 'ssh:') return /^[A-Za-z\d[]/.test(url.hostname) && url.password === '';
  return isWebUrl(url);
}

function isWebUrl(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname));
}

const HOST_NAME = /^(?:[A-Za-z\d](?:[A-Za-z\d.-]{0,250}[A-Za-z\d])?|[\da-f]*:[\da-f:.]*)$/i;

export const hostName = () => kind('a host name or an IP address', z.string().regex(HOST_NAME));

/** A host and a port, such as `127.0.0.1:7421` and `[::1]:7421`. Port 0 selects a free one. */
export type ListenAddress = { host: string; port: number };

export const listenAddress = () =>
  kind(
    'a host and a port, such as 127.0.0.1:7421',
    z.string().transform((value, context): ListenAddress => {
      const [, bracketed, plain, port = ''] = /^(?:\[([\da-f:.]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(value) ?? [];
      const host = bracketed ?? plain ?? '';
      if (HOST_NAME.test(host) && Number(port) <= 65_535) return { host, port: Number(port) };
      context.addIssue({ code: 'custom', message: 'not a host and a port' });
      return z.NEVER;
    }),
  );

export const hostNames = () =>
  kind('a list of at most 20 host names or IP addresses', z.array(z.string().regex(HOST_NAME)).max(20));
