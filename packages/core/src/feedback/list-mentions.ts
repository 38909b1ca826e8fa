/** The longest `owner/name` that GitHub allows. */
const MAX_NAME = 140;

/**
 * Lists the numbers of the repository's issues and pull requests that the texts mention, each once, in the order of
 * their first mention: `#7`, `owner/name#7` or the URL.
 */
export function listMentions(texts: readonly string[], repo: string): number[] {
  const numbers = texts.flatMap((text) => [
    ...[...text.matchAll(/#(\d{1,9})(?!\w)/g)].filter(({ index }) => isOf(readName(text, index), repo)),
    ...[...text.matchAll(/\/(?:issues|pull)\/(\d{1,9})(?!\w)/g)].filter(({ index }) => {
      const before = text.slice(Math.max(0, index - MAX_NAME), index).toLowerCase();
      return before.endsWith(`/${repo.toLowerCase()}`);
    }),
  ]);
  return [...new Set(numbers.map(([, number]) => Number(number)))].filter((number) => number > 0);
}

/** Reads the repository's name before the `#`. */
function readName(text: string, end: number): string {
  let start = end;
  while (end - start < MAX_NAME && /[\w./&#-]/.test(text.charAt(start - 1))) start -= 1;
  return text.slice(start, end);
}

function isOf(name: string, repo: string): boolean {
  return name === '' || name.toLowerCase() === repo.toLowerCase();
}
