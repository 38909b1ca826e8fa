/**
 * Maximum number of posts, reactions and edits per hour, all repositories together. GitHub refuses more than about 500,
 * and people may use the same login.
 */
export const WRITES_PER_HOUR = 400;
