import { describeHost } from '../basics/github-host.js';

/** The servers from which MergeXO downloads uploads, as origins: scheme, host and port must all match. */
export type UploadHosts = {
  /** The origin of the URLs that people see. Only this origin and the API may get the token. */
  web: string;
  /** The origins to which GitHub redirects, with a signature in the URL. */
  stores: readonly string[];
};

/** The file servers of github.com. An Enterprise Server and the twin serve uploads from their own host. */
const STORES = [
  'https://private-user-images.githubusercontent.com',
  'https://objects.githubusercontent.com',
  'https://github-production-user-asset-6210df.s3.amazonaws.com',
  'https://github-production-repository-file-5c1aeb.s3.amazonaws.com',
];

export function findUploadHosts(apiUrl: string): UploadHosts {
  const { kind, webUrl } = describeHost(apiUrl);
  const web = new URL(webUrl).origin;
  return { web, stores: kind === 'github.com' ? STORES : [web] };
}

/** True if MergeXO may send a request to this URL. A URL with a user name could appear to point to another host. */
export function isUploadHost(url: URL, { web, stores }: UploadHosts): boolean {
  return url.username === '' && url.password === '' && [web, ...stores].includes(url.origin);
}
