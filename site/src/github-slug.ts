/** Returns GitHub's anchor for a heading. VitePress's own rule would break links that work on GitHub. */
export function githubSlug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}
