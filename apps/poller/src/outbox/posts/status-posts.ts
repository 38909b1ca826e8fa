import type { Action } from '@mergexo/core/actions';
import { Failure } from '@mergexo/core/basics';
import { renderCheckNotes } from '@mergexo/core/review';
import { countOf } from '@mergexo/core/text';
import { type NewCheckRun, statusOf } from '@mergexo/github';
import type { FrozenReview } from '../../lifecycle/review/read-review.js';
import type { Found, Post, PostContext, PostTools } from './post.js';
import { reviewOf } from './review-posts.js';

const CONTEXT = 'mergexo/review';

type StatusAction = Action<'review_status' | 'review_failed_status' | 'review_skipped_status'>;

/**
 * Posts the verdict next to the checks of the commit: as a check run with the findings if MergeXO runs as a GitHub App,
 * otherwise as a commit status, because GitHub accepts check runs only from Apps.
 */
export function createStatusPost(tools: PostTools, action: StatusAction, context: PostContext): Post {
  const verdict =
    action.payload === null ? describeStatus(context) : describeNotice(action.kind, action.payload, context);
  const status = createCommitStatusPost(tools, context, verdict);
  return tools.postsChecks ? createCheckPost(tools, { action, context, verdict, status }) : status;
}

type Verdict = ReturnType<typeof describeStatus> | ReturnType<typeof describeNotice>;

/** Safe to repeat. */
function createCommitStatusPost(
  { github }: PostTools,
  context: PostContext,
  { headSha, ...verdict }: Verdict,
): Post {
  const { fullName } = context.repo.config;
  const status = { ...verdict, context: CONTEXT };
  return {
    token: '',
    async find(): Promise<Found> {
      const listed = await github.fetchCommitStatuses(fullName, headSha, null);
      const ours = (listed.kind === 'changed' ? listed.rows : []).find(
        ({ name, state, description }) =>
          name === CONTEXT && state === status.state && description === status.description,
      );
      return ours === undefined ? { kind: 'absent' } : { kind: 'ours', remoteId: ours.id };
    },
    send: async () => ({ remoteId: (await github.postCommitStatus(fullName, headSha, status)).id }),
  };
}

const CONCLUSIONS = { success: 'success', failure: 'failure', error: 'action_required' } as const;

type CheckParts = { action: StatusAction; context: PostContext; verdict: Verdict; status: Post };

/** The action's id identifies the check run, so that a run whose response was lost is found again. */
function createCheckPost(tools: PostTools, { action, context, verdict, status }: CheckParts): Post {
  const { github, viewer } = tools;
  const { fullName } = context.repo.config;
  const { headSha, state, description: title, targetUrl: detailsUrl } = verdict;
  const run: NewCheckRun = {
    name: CONTEXT,
    externalId: action.id,
    conclusion: CONCLUSIONS[state],
    title,
    summary: detailsUrl === null ? title : `${title}. See [the review](${detailsUrl}).`,
    detailsUrl,
    annotations: action.payload === null ? listAnnotations(tools, context) : [],
  };
  return {
    token: '',
    async find(): Promise<Found> {
      const listed = await github.fetchCheckRuns(fullName, headSha, null);
      const ours = (listed.kind === 'changed' ? listed.rows : []).find(
        ({ name, externalId, appSlug }) =>
          name === CONTEXT && externalId === action.id && viewer.login === `${appSlug}[bot]`,
      );
      return ours === undefined ? { kind: 'absent' } : { kind: 'ours', remoteId: ours.id };
    },
    async send() {
      try {
        return { remoteId: (await github.postCheckRun(fullName, headSha, run)).id };
      } catch (error) {
        // The App may lack the permission for checks alone.
        if (!(error instanceof Failure) || statusOf(error) !== 403) throw error;
        return status.send();
      }
    },
  };
}

function listAnnotations({ redact }: PostTools, context: PostContext): NewCheckRun['annotations'] {
  return renderCheckNotes(reviewOf(context), redact).map(({ startLine, line, level, ...note }) => ({
    ...note,
    start_line: startLine,
    end_line: line,
    annotation_level: level,
  }));
}

function describeStatus(about: PostContext) {
  const { context, verdict, round } = reviewOf(about);
  return {
    headSha: context.headSha,
    state: verdict.kind === 'approved' ? ('success' as const) : ('failure' as const),
    description: describeVerdict(verdict),
    targetUrl: buildReviewUrl(about, round?.remoteId ?? null),
  };
}

/** Describes the verdict. Each description must stay below 140 characters, GitHub's limit. */
function describeNotice(kind: StatusAction['kind'], { headSha }: { headSha: string }, context: PostContext) {
  return { ...NOTICES[kind], headSha, targetUrl: buildReviewUrl(context, null) };
}

const NOTICES = {
  review_status: { state: 'success', description: 'People dismissed every blocking finding' },
  review_failed_status: {
    state: 'error',
    description: 'The AI review failed. Comment /mergexo resume to retry it, or review the change yourself',
  },
  review_skipped_status: {
    state: 'success',
    description: 'An operator skipped the AI review of this commit',
  },
} as const;

function describeVerdict(verdict: FrozenReview['verdict']): string {
  if (verdict.kind === 'approved') return 'No blocking findings';
  return countOf(verdict.blocking.length, 'blocking finding');
}

function buildReviewUrl({ pull }: PostContext, remoteId: number | null): string | null {
  if (!pull?.url) return null;
  return remoteId === null ? pull.url : `${pull.url}#pullrequestreview-${remoteId}`;
}
