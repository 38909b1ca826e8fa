import type { TurnPackage } from '@mergexo/core/agent';
import type { StartContext } from '@mergexo/core/turns';

export type Comment = {
  id: number;
  author: string;
  role?: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  url: string;
};

export function toComment(comment: Comment): TurnPackage['issue_comments'][number] {
  const { id, author, role = null, body, createdAt, updatedAt, url } = comment;
  return { id, author, author_role: role, body, created_at: createdAt, updated_at: updatedAt, url };
}

type Origin = { role?: string; createdAt?: string };

/** Renames the fields of an issue or a pull request that say who wrote it, and when. */
export function toPost<Post extends Origin>({ role, createdAt, ...post }: Post) {
  return { ...post, author_role: role ?? null, created_at: createdAt ?? null };
}

export function toLinked({
  isPullRequest,
  ...thread
}: StartContext['linked'][number]): TurnPackage['linked'][number] {
  return { ...toPost(thread), is_pull_request: isPullRequest };
}
