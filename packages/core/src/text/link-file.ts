import { quoteName } from './quote-name.js';

/** Renders a Markdown link to a file of a repository. `baseUrl` names the branch: `https://…/blob/main`. */
export function linkFile(path: string, baseUrl: string): string {
  // Encodes parentheses too, because they would end the Markdown link.
  const encoded = encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'));
  return `[${quoteName(path)}](${baseUrl}/${encoded})`;
}
