/** GitHub's closing keywords, followed by `#12` or `owner/name#12`. */
const CLOSING =
  /(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]{1,8}([\w.-]{1,100}\/[\w.-]{1,100})?#(\d{1,9})(?!\w)/gi;

/** Returns the first issue of the repository that the pull request's text closes; undefined if there is none. */
export function findClosedIssue(body: string, repo: string): number | undefined {
  for (const [, named, number] of body.matchAll(CLOSING))
    if (named === undefined || named.toLowerCase() === repo.toLowerCase()) return Number(number);
  return undefined;
}
