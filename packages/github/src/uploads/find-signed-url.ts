import { findGuid, isUploadHost, type UploadHosts } from '@mergexo/core/attachments';

const ADDRESS = /https?:\/\/[^\s<>"']{1,4000}/g;

/**
 * Finds the signed URL of an upload in the HTML that GitHub rendered from an issue or comment. The file name in the path must
 * contain the guid, because the order of the images can differ and a query or another host can repeat the guid.
 */
export function findSignedUrl(html: string, upload: string, hosts: UploadHosts): string | undefined {
  const guid = findGuid(upload);
  if (guid === undefined) return undefined;
  return [...html.matchAll(ADDRESS)]
    .map(([address]) => address.replaceAll('&amp;', '&'))
    .filter((address) => URL.canParse(address) && address !== upload)
    .find((address) => {
      const url = new URL(address);
      return url.search !== '' && isUploadHost(url, hosts) && isNameOf(url, guid);
    });
}

/** True for names such as `553416385-<guid>.png`. */
function isNameOf({ pathname }: URL, guid: string): boolean {
  const name = pathname.slice(pathname.lastIndexOf('/') + 1).toLowerCase();
  const stem = name.replace(/\.\w{1,10}$/, '');
  return stem === guid || (stem.endsWith(`-${guid}`) && /^\d{1,20}$/.test(stem.slice(0, -guid.length - 1)));
}
