import { posix } from 'node:path';

export type Pages = {
  /** Maps the repository path of every page to its path on the site. */
  paths: ReadonlyMap<string, string>;
  /** Base URL of the repository's other files, such as `https://github.com/you/mergexo/blob/main`. */
  filesUrl: string | undefined;
};

const FENCE = /^ *```[^\n]*\n[\s\S]*?^ *```/gm;
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;

/**
 * Converts a repository page to a site page. Changes links between pages to site paths. Links to other files
 * point to the repository, or become plain text if its URL is unknown.
 */
export function rewriteLinks(text: string, page: string, { paths, filesUrl }: Pages): string {
  const own = posix.dirname(paths.get(page) ?? page);
  const rewrite = (whole: string, image: string, label: string, target: string): string => {
    if (/^(?:[a-z]+:|#)/.test(target)) return whole;
    const [path = '', anchor] = target.split('#', 2);
    const file = posix.join(posix.dirname(page), path);
    const hash = anchor === undefined ? '' : `#${anchor}`;
    const moved = image === '' ? paths.get(file) : file.replace(/^docs\//, '');
    if (moved !== undefined) return `${image}[${label}](./${posix.relative(own, moved)}${hash})`;
    return filesUrl === undefined ? label : `[${label}](${filesUrl}/${file}${hash})`;
  };
  const parts = text.split(FENCE);
  const fences = text.match(FENCE) ?? [];
  return parts.map((part, index) => part.replace(LINK, rewrite) + (fences[index] ?? '')).join('');
}
