import { sanitiseText } from '../sanitise/sanitise-text.js';

/** A URL in a text: an upload on GitHub, or an image on another server. */
export type FoundUpload = { url: string; isForeign: boolean };

/** Stops at characters that can follow a URL in Markdown or HTML. GitHub replaces them in upload names. */
const ADDRESS = /https?:\/\/[^\s<>"'`()[\]{}\\|]{1,2000}/gi;
const ASSET = /^\/user-attachments\/assets\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const FILE = /^\/user-attachments\/files\/(\d{1,20})\/([^/]{1,300})$/;
/** How many characters before a URL to search for the start of an image. */
const MAX_BEFORE = 400;

/** Finds uploads and images in Markdown. Skips text that GitHub hides, because the agent does not see it either. */
export function findUploads(markdown: string, web: string): FoundUpload[] {
  const text = sanitiseText(markdown);
  return [...text.matchAll(ADDRESS)].flatMap(({ 0: address, index }): FoundUpload[] => {
    const trimmed = address.replace(/[.,;:!?*_~]{1,10}$/, '');
    const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
    if (url === undefined) return [];
    const upload = toUploadUrl(url, web);
    if (upload !== undefined) return [{ url: upload, isForeign: false }];
    return isImage(text.slice(Math.max(0, index - MAX_BEFORE), index))
      ? [{ url: trimmed, isForeign: true }]
      : [];
  });
}

/** Returns the upload's URL without query and fragment; undefined if the URL is not an upload on this server. */
function toUploadUrl(url: URL, web: string): string | undefined {
  if (url.origin !== web || url.username !== '' || url.password !== '') return undefined;
  const isUpload = ASSET.test(url.pathname) || FILE.test(url.pathname);
  return isUpload ? `${web}${url.pathname}` : undefined;
}

/** The id of an uploaded image; undefined for other files. */
export function findGuid(url: string): string | undefined {
  return ASSET.exec(new URL(url).pathname)?.[1]?.toLowerCase();
}

/** True if the text ends where the address of an image starts: `![…](` or `<img … src="`. */
function isImage(before: string): boolean {
  const mark = before.lastIndexOf('![');
  if (mark >= 0 && before.endsWith('](') && before.indexOf('](', mark) === before.length - 2) return true;
  const tag = before.toLowerCase().lastIndexOf('<img');
  return tag >= 0 && !before.includes('>', tag) && /src=["']?$/i.test(before.slice(-5));
}
