import { z } from 'zod';
import { commitMessage, line, MAX_BODY, MAX_DOCUMENT, repoPath, text } from '../../agent/texts.js';

const BlockedReason = text(4_000);
const StateSummary = text(20_000);

const DesignWork = z.strictObject({
  title: line(256),
  summary: text(MAX_BODY),
  touch_paths: z.array(repoPath()).max(200),
  priority: z.int().min(1).max(5),
  depends_on: z.array(z.int().min(1)).max(50),
  estimated_size: z.enum(['S', 'M', 'L']),
  design_doc_markdown: text(MAX_DOCUMENT),
  state_summary: StateSummary,
});

/** Describes the agent's change. The edits themselves are in the working directory. */
const ChangeWork = z.strictObject({
  pr_title: line(256),
  pr_summary: text(MAX_BODY),
  commit_message: commitMessage(),
  state_summary: StateSummary,
});

/** The files, mostly tests, that prove that a criterion is met. */
const Evidence = z.strictObject({
  criterion: z.int().min(1).max(50),
  shown_by: z.array(repoPath()).min(1).max(20),
});

const Acceptance = z.array(Evidence).max(50).nullable().default(null);
const ImplementationWork = ChangeWork.extend({ acceptance: Acceptance.transform((list) => list ?? []) });

const Blocked = z.strictObject({ blocked_reason: BlockedReason });

type OrBlocked<Work> = ({ kind: 'done' } & Work) | ({ kind: 'blocked' } & z.infer<typeof Blocked>);

export type DesignStartOutput = OrBlocked<z.infer<typeof DesignWork>>;
export type ChangeStartOutput = OrBlocked<z.infer<typeof ChangeWork>>;
export type ImplementationStartOutput = OrBlocked<z.infer<typeof ImplementationWork>>;

const design = DesignWork.shape;
const change = ChangeWork.shape;

/**
 * One flat object, because providers reject a union at the root of a schema. Contains either `blocked_reason` or all
 * other fields.
 */
export const DesignStartReply = z.strictObject({
  title: design.title.nullable().default(null),
  summary: design.summary.nullable().default(null),
  touch_paths: design.touch_paths.nullable().default(null),
  priority: design.priority.nullable().default(null),
  depends_on: design.depends_on.nullable().default(null),
  estimated_size: design.estimated_size.nullable().default(null),
  design_doc_markdown: design.design_doc_markdown.nullable().default(null),
  state_summary: design.state_summary.nullable().default(null),
  blocked_reason: BlockedReason.nullable().default(null),
});

export const ChangeStartReply = z.strictObject({
  pr_title: change.pr_title.nullable().default(null),
  pr_summary: change.pr_summary.nullable().default(null),
  commit_message: change.commit_message.nullable().default(null),
  state_summary: change.state_summary.nullable().default(null),
  blocked_reason: BlockedReason.nullable().default(null),
});

export const ImplementationStartReply = ChangeStartReply.extend({
  acceptance: Acceptance,
});

export const DesignStartOutput = orBlocked(DesignStartReply, DesignWork);
export const ChangeStartOutput = orBlocked(ChangeStartReply, ChangeWork);
export const ImplementationStartOutput = orBlocked(ImplementationStartReply, ImplementationWork);

function orBlocked<Work extends object>(
  reply: z.ZodType<{ blocked_reason: string | null }>,
  work: z.ZodType<Work>,
): z.ZodType<OrBlocked<Work>> {
  return reply.transform(({ blocked_reason, ...fields }, context): OrBlocked<Work> => {
    if (blocked_reason !== null) return { kind: 'blocked', blocked_reason };
    const done = work.safeParse(fields);
    return done.success ? { kind: 'done', ...done.data } : report(done.error, context);
  });
}

function report(error: z.ZodError, context: z.core.$RefinementCtx): never {
  for (const { path } of error.issues) {
    context.addIssue({ code: 'custom', path, message: 'is required unless you set blocked_reason' });
  }
  return z.NEVER;
}
