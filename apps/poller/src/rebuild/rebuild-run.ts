import { ACTION_KINDS, ACTION_TRAITS } from '@mergexo/core/actions';
import { buildBranchName, buildDesignDocPath } from '@mergexo/core/flows';
import { type Meta, parseDesignLine, placeOfRemark, verifyBody } from '@mergexo/core/outbox';
import { buildSlug } from '@mergexo/core/text';
import type { IssueComment } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { createRun } from '../lifecycle/run/run.js';
import type { ListTools } from '../threads/list-pull.js';
import { recordIssueRemark } from '../threads/record-issue-remark.js';
import { oldestFirst, toRemark } from '../threads/to-remark.js';
import type { Repo } from '../tools.js';

export function readGate(meta: Meta | undefined): number {
  return Number(meta?.gate ?? 0);
}

/** Restores the comments of an issue. Comments up to `consumedUpTo` count as processed. Requires a transaction. */
export function rebuildThread(
  tools: ListTools,
  repo: Repo,
  {
    issueNumber,
    comments,
    consumedUpTo,
  }: { issueNumber: number; comments: readonly IssueComment[]; consumedUpTo: number },
): void {
  const { state, now } = tools;
  const metas = listMetas(tools, repo, { thread: issueNumber, comments });
  const said = new Set(metas.flatMap(({ cause }) => cause ?? []));
  for (const comment of oldestFirst(comments))
    recordIssueRemark(tools, repo, {
      remark: toRemark(comment),
      known: { consumedUpTo, said, leavesCommand: () => false },
    });
  for (const event of state.listUnclaimedEvents(repo.id, issueNumber))
    if (event.commentId <= consumedUpTo) state.markEventProcessed(event, now(), { code: 'consumed' });
  state.moveCommentCursors(
    { repoId: repo.id, issueNumber },
    { prePrLastConsumedCommentId: consumedUpTo },
    now(),
  );
}

const TELLING = new Set<string>(ACTION_KINDS.filter((kind) => ACTION_TRAITS[kind].tellsState));

export function readLastNotice(metas: readonly Meta[]): Meta | undefined {
  return metas.find(({ kind }) => kind !== undefined && TELLING.has(kind));
}

/** Returns the signed fields of our own comments, newest first. */
export function listMetas(
  { keys, viewer }: ListTools,
  repo: Repo,
  { thread, comments }: { thread: number; comments: readonly IssueComment[] },
): Meta[] {
  const place = placeOfRemark(repo.id, { thread, rootId: null });
  return comments
    .filter(({ author }) => viewer.ids.has(author.id))
    .sort((a, b) => b.id - a.id)
    .flatMap(({ body }) => verifyBody(body, place, keys)?.meta ?? []);
}

export type RunName = { issueNumber: number; flow: Run['flow']; ordinal: number };

export function recordRun(
  tools: ListTools,
  repo: Repo,
  run: RunName & { branch: string | null; title: string; body: string },
): Run | undefined {
  const { issueNumber, flow, ordinal, title, branch } = run;
  const name = { flow, issueNumber, slug: buildSlug(tools.state.redact(title)), ordinal };
  // The body of our pull request contains the path of the design document.
  const named = parseDesignLine(run.body);
  const path = named ?? buildDesignDocPath(repo.config.designDocsDir, name);
  const designDocPath = flow === 'design_doc' ? path : flow === 'implementation' ? (named ?? null) : null;
  return createRun(tools, {
    repoId: repo.id,
    issueNumber,
    flow,
    ordinal,
    issueTitle: title,
    branch: branch ?? buildBranchName(name),
    designDocPath,
  });
}
