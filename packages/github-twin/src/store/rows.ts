import { z } from 'zod';

const id = z.number().int().positive();
const sha = z.string().regex(/^[0-9a-f]{40}$/);
const stamp = z.string();

export const Permission = z.enum(['read', 'triage', 'write', 'maintain', 'admin']);
export type Permission = z.infer<typeof Permission>;

export const User = z.object({
  id,
  login: z.string(),
  name: z.string().nullable(),
  email: z.string(),
  type: z.enum(['User', 'Bot', 'Organization']),
  createdAt: stamp,
});
export type User = z.infer<typeof User>;

export const Token = z.object({
  id,
  secret: z.string(),
  userId: id,
  scopes: z.array(z.string()),
  expiresAtMs: z.number().nullable(),
});
export type Token = z.infer<typeof Token>;

export const Repo = z.object({
  id,
  owner: z.string(),
  name: z.string(),
  /** Earlier `owner/name` pairs; requests to them are redirected. */
  formerNames: z.array(z.string()),
  description: z.string().nullable(),
  private: z.boolean(),
  archived: z.boolean(),
  defaultBranch: z.string(),
  protectedBranches: z.array(z.string()),
  permissions: z.record(z.string(), Permission),
  nextNumber: z.number().int(),
  createdAt: stamp,
  updatedAt: stamp,
  pushedAt: stamp,
});
export type Repo = z.infer<typeof Repo>;

/** The refs of a repository as last seen; a difference to the real ones is a push that has to be worked through. */
export const SeenRefs = z.object({ id, refs: z.record(z.string(), sha) });
export type SeenRefs = z.infer<typeof SeenRefs>;

export const Label = z.object({
  id,
  repoId: id,
  name: z.string(),
  color: z.string(),
  description: z.string().nullable(),
});
export type Label = z.infer<typeof Label>;

export const Pull = z.object({
  id,
  headRef: z.string(),
  headSha: sha,
  baseRef: z.string(),
  baseSha: sha,
  draft: z.boolean(),
  mergedAt: stamp.nullable(),
  mergedById: id.nullable(),
  mergeCommitSha: sha.nullable(),
  reviewerIds: z.array(id),
});
export type Pull = z.infer<typeof Pull>;

/** A pull request is an issue with a `pull` part: one number space, one thread, one set of labels. */
export const Issue = z.object({
  id,
  repoId: id,
  number: id,
  title: z.string(),
  body: z.string().nullable(),
  userId: id,
  state: z.enum(['open', 'closed']),
  stateReason: z.enum(['completed', 'reopened', 'not_planned', 'duplicate']).nullable(),
  labelIds: z.array(id),
  deleted: z.boolean(),
  createdAt: stamp,
  updatedAt: stamp,
  closedAt: stamp.nullable(),
  closedById: id.nullable(),
  bornMs: z.number(),
  pull: Pull.nullable(),
});
export type Issue = z.infer<typeof Issue>;
export type PullIssue = Issue & { pull: Pull };

export const Comment = z.object({
  id,
  repoId: id,
  number: id,
  userId: id,
  body: z.string(),
  createdAt: stamp,
  updatedAt: stamp,
  bornMs: z.number(),
});
export type Comment = z.infer<typeof Comment>;
