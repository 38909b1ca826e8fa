import { isBot } from '../runs/account.js';
import { findDistrust } from '../runs/decide-intake.js';
import type { Remark } from './remark.js';

/** Associations that usually have write access. A repository can restrict members and collaborators to read access. */
const WRITERS: readonly (string | undefined)[] = ['OWNER', 'MEMBER', 'COLLABORATOR'];

/** True for a person who works on the repository and commented, but is not in `allowed_users`. Never true for bots. */
export function isUnlistedReviewer(
  { author, association, body }: Pick<Remark, 'author' | 'association' | 'body'>,
  allowedUsers: readonly string[],
): boolean {
  if (isBot(author) || body.trim() === '' || !WRITERS.includes(association)) return false;
  return findDistrust(author, allowedUsers) !== undefined;
}
