import { explainDistrust, isBot } from '../runs/decide-intake.js';
import type { Remark } from './remark.js';

/** GitHub gives write access to these, apart from members and collaborators whom a repository restricts to reading. */
const WRITERS: readonly (string | undefined)[] = ['OWNER', 'MEMBER', 'COLLABORATOR'];

/** Somebody who works on the repository, said something, and is not in `allowed_users`. Bots never are. */
export function isUnlistedReviewer(
  { author, association, body }: Pick<Remark, 'author' | 'association' | 'body'>,
  allowedUsers: readonly string[],
): boolean {
  if (isBot(author) || body.trim() === '' || !WRITERS.includes(association)) return false;
  return explainDistrust(author, allowedUsers) !== undefined;
}
