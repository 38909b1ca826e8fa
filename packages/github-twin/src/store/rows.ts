import { z } from 'zod';

export const Permission = z.enum(['read', 'triage', 'write', 'maintain', 'admin']);
export type Permission = z.infer<typeof Permission>;

/** `createdMs` is `createdAt` in milliseconds. Faults that delay lists use it to hide new rows. */
export type Born = { id: number; createdAt: string; updatedAt: string; createdMs: number };
type OfRepo = Born & { repoId: number };
type OfThread = OfRepo & { number: number; userId: number };

export type User = {
  id: number;
  login: string;
  name: string | null;
  email: string;
  type: 'User' | 'Bot' | 'Organization';
  createdAt: string;
};

export const Level = z.enum(['read', 'write', 'admin']);
export type Level = z.infer<typeof Level>;

/** Permissions by GitHub's names, such as `{ issues: 'write' }`. */
export const Grants = z.record(z.string(), Level);
export type Grants = z.infer<typeof Grants>;

/** The limits of an installation token. A null list means all repositories of the installation. */
export type TokenGrant = {
  installationId: number;
  repoIds: number[] | null;
  permissions: Grants;
  mintedAtMs: number;
};

export type Token = {
  id: number;
  secret: string;
  userId: number;
  scopes: string[];
  expiresAtMs: number | null;
  /** Set only on the token of an App's installation. */
  installation?: TokenGrant;
};

export type Repo = Born & {
  owner: string;
  name: string;
  /** Earlier `owner/name` pairs. Requests for them are redirected. */
  formerNames: string[];
  description: string | null;
  private: boolean;
  archived: boolean;
  defaultBranch: string;
  protectedBranches: string[];
  permissions: Record<string, Permission>;
  nextNumber: number;
  pushedAt: string;
};

export type Label = {
  id: number;
  repoId: number;
  name: string;
  color: string;
  description: string | null;
};

export type Pull = {
  id: number;
  headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  draft: boolean;
  mergedAt: string | null;
  mergedById: number | null;
  mergeCommitSha: string | null;
  reviewerIds: number[];
};

/** A pull request is an issue with a `pull` part. Both share one number sequence, one thread and one set of labels. */
export type Issue = OfThread & {
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'reopened' | 'not_planned' | 'duplicate' | null;
  labelIds: number[];
  deleted: boolean;
  closedAt: string | null;
  closedById: number | null;
  pull: Pull | null;
  /** The versions of an edited body, oldest first. The first version is the original. */
  bodies?: { at: string; text: string | null }[];
  /** Changes to the title, oldest first. */
  renames?: { at: string; from: string; to: string }[];
};
export type PullIssue = Issue & { pull: Pull };

/** The issue `blockedId` is blocked by the issue `blockerId`, which may be in another repository. */
export type Dependency = OfRepo & { blockedId: number; blockerId: number };

export type Comment = OfThread & { body: string };

export const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'] as const;
export const ReactionContent = z.enum(REACTIONS);

/** The subject of a reaction. Issues include pull requests. */
export type Reactable = { subject: 'issue' | 'comment' | 'reviewComment'; subjectId: number };
export type Reaction = OfRepo & Reactable & { userId: number; content: z.infer<typeof ReactionContent> };

export const Side = z.enum(['LEFT', 'RIGHT']);
export type Side = z.infer<typeof Side>;

export type Review = OfThread & {
  body: string;
  state: 'PENDING' | 'COMMENTED' | 'APPROVED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  commitId: string;
  submittedAt: string | null;
};

/** The comment's line in the diff when it was posted. Its line in the current diff is computed on each read. */
export type Place = {
  path: string;
  side: Side;
  /** The first line of a range that ends at `line`; null for a single line. */
  startLine: number | null;
  /** The side of the diff on which a range starts; null for a single line. */
  startSide: Side | null;
  line: number;
  position: number;
  diffHunk: string;
  commitId: string;
  baseId: string;
};

export type ReviewComment = OfThread & {
  reviewId: number;
  body: string;
  inReplyToId: number | null;
  place: Place;
  /** Set only on the first comment of a thread. */
  resolvedById: number | null;
  /** True for a deleted first comment if its thread still has replies. */
  deleted: boolean;
};

export const StatusState = z.enum(['error', 'failure', 'pending', 'success']);

export type Status = OfRepo & {
  sha: string;
  state: z.infer<typeof StatusState>;
  context: string;
  description: string | null;
  targetUrl: string | null;
  creatorId: number;
};

export const Progress = z.enum(['queued', 'in_progress', 'completed']);
export const Conclusion = z.enum([
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
]);
export type Conclusion = z.infer<typeof Conclusion>;
type Outcome = { status: z.infer<typeof Progress>; conclusion: Conclusion | null };

/** `app` is the login of the app, which is `github-actions[bot]` for workflow runs. */
export type CheckSuite = { id: number; repoId: number; sha: string; app: string };

export const Annotation = z.strictObject({
  path: z.string(),
  start_line: z.int(),
  end_line: z.int(),
  annotation_level: z.enum(['notice', 'warning', 'failure']),
  message: z.string(),
  title: z.string().optional(),
  raw_details: z.string().optional(),
});
export type Annotation = z.infer<typeof Annotation>;

export type CheckRun = OfRepo &
  Outcome & {
    suiteId: number;
    sha: string;
    name: string;
    startedAt: string;
    completedAt: string | null;
    annotations: Annotation[];
    /** Absent for the jobs of workflow runs. */
    report?: CheckReport;
  };

export type CheckReport = {
  title: string | null;
  summary: string | null;
  text: string | null;
  detailsUrl: string | null;
  externalId: string;
};

export type WorkflowRun = OfRepo &
  Outcome & {
    suiteId: number;
    workflowId: number;
    name: string;
    path: string;
    event: string;
    branch: string;
    /** The id of the fork that the branch belongs to; absent for the repository's own branches. */
    forkId?: number;
    sha: string;
    runNumber: number;
    attempt: number;
    actorId: number;
    startedAt: string;
  };

/** As on GitHub, each job is also a check run with the same id. */
export type Job = OfRepo &
  Outcome & {
    runId: number;
    attempt: number;
    name: string;
    startedAt: string;
    completedAt: string | null;
    log: string;
    /** The names of the steps. The last one has the conclusion of the job. */
    steps: string[];
    annotations: Annotation[];
  };

/** A file that somebody uploaded with a comment. Kept in memory only. */
export type Upload = {
  /** The path that people see, below `/user-attachments/`. */
  path: string;
  /** The path on the file server, which needs a signature. */
  storedPath: string;
  bytes: Buffer;
  isPrivate: boolean;
  /** True if all signed URLs of this file are expired. */
  isExpired: boolean;
  /** The URL to redirect to, in place of the file server. */
  redirect: string | null;
};
