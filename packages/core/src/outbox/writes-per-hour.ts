/** Maximum number of posts per hour, all repositories together. GitHub's limit is about 500, but people may use the same login. */
export const WRITES_PER_HOUR = 400;
