import { parseConfig } from '@mergexo/config';
import { type Action, ActionContent, type ActionKind } from '@mergexo/core/actions';
import { type SigningKeys, signBody } from '@mergexo/core/outbox';
import { computeVerdict, type RaisedFinding } from '@mergexo/core/review';
import { type Plan, type PlanResult, ReviewContext } from '@mergexo/core/turns';
import type { PullDetails } from '@mergexo/github';
import type { FrozenReview } from '../../../lifecycle/review/read-review.js';
import type { PostContext } from '../post.js';

const SHA = 'a'.repeat(40);
const ISSUE = { number: 7, title: 'x', body: '', author: 'ada', labels: [], url: 'u' };
const PULL = { number: 8, title: 'x', body: '', author: 'robot', baseBranch: 'main', url: 'u' };
const [CONFIG] = parseConfig('[repo.engine]\nowner = "ada"\nname = "engine"\n', { homeDir: '/' }).repos;

export const CANARY_BRANCH = 'agent/bugfix/7-x';
const BRANCH_PLACE = { repoId: 1, thread: `branch:${CANARY_BRANCH}` };

type Outlet = { target: string; payload: (words: string) => object | null };

const TARGET = 'run:1';
const NOTICE: Outlet = { target: TARGET, payload: (text) => ({ text }) };
const RENDERED: Outlet = { target: TARGET, payload: () => null };

/** How to make each kind of post contain a text by an agent. Null for a post that contains no such text. */
export const OUTLETS: Record<ActionKind, Outlet | null> = {
  open_pull: { ...RENDERED, target: BRANCH_PLACE.thread },
  status_comment: null,
  wait_comment: RENDERED,
  review_reply: { ...RENDERED, target: 'review:3' },
  general_comment: RENDERED,
  post_review: { ...RENDERED, target: `head:${SHA}` },
  review_status: RENDERED,
  review_failed_status: null,
  review_skipped_status: null,
  finding_reply: { ...NOTICE, target: 'finding:1:3' },
  resolve_thread: null,
  fix_summary: NOTICE,
  escalation_notice: NOTICE,
  escalation_label: null,
  escalation_unlabel: null,
  review_request: null,
  resume_notice: NOTICE,
  command_reply: NOTICE,
  unblock_notice: { ...NOTICE, payload: (text) => ({ text, acceptedHeadSha: null }) },
  block_notice: NOTICE,
  park_notice: NOTICE,
  redirect: NOTICE,
  close_notice: NOTICE,
  rerun_checks: null,
  update_body: { ...NOTICE, payload: (words) => ({ drift: [words] }) },
  conflict_notice: NOTICE,
  document_notice: NOTICE,
  reviewer_notice: NOTICE,
  thread_link: null,
};

export function aCanaryAction(kind: ActionKind, { target, payload }: Outlet, words: string): Action {
  const place = { id: 'i', repoId: 1, turnKey: null, thread: 7, position: 0, target } as const;
  const progress = { state: 'planned', remoteId: null, sends: 0, error: null } as const;
  return { ...place, ...progress, ...ActionContent.parse({ kind, payload: payload(words) }) };
}

export function aCanaryContext(
  kind: ActionKind,
  words: string,
  { plan, ...about }: Pick<PostContext, 'run' | 'pull'> & { plan: Plan },
): PostContext {
  if (CONFIG === undefined) throw new Error('the config has a repository');
  return {
    repo: { id: 1, config: CONFIG },
    ...about,
    plan: { ...plan, result: resultOf(kind, words) },
    turn: undefined,
    feedback: undefined,
    generalUrl: null,
    start: undefined,
    followup: undefined,
    review: kind === 'post_review' || kind === 'review_status' ? aReview(words) : undefined,
    receipt: undefined,
  };
}

function resultOf(kind: ActionKind, words: string): PlanResult {
  if (kind === 'open_pull')
    return {
      kind: 'pull',
      title: words,
      summary: words,
      design: null,
      acceptance: [{ text: words, shownBy: [words] }],
      provedBy: [words],
    };
  if (kind === 'wait_comment') return { kind: 'wait', waitKind: 'agent_blocked', reason: words };
  return { kind: 'answer', replies: [{ commentId: 3, rootId: 3, body: words }], general: words };
}

/** A review with a finding in each place, and with text in every field. */
function aReview(words: string): FrozenReview {
  const find = (fingerprint: string, suggestion: string | null): RaisedFinding => ({
    ...{
      path: words,
      startLine: null,
      line: 1,
      severity: 'high',
      category: 'security',
      body: words,
      suggestion,
    },
    ...{ fingerprint, origin: 'new', earlierId: null, status: 'open', verified: null },
  });
  const [inline, demoted, standing] = [find('a', words), find('b', words), find('c', null)];
  const [nit, hidden] = [find('d', null), find('e', null)];
  const note = { finding: { ...inline, suggestion: null }, reason: words };
  const placement = {
    ...{ inline: [{ ...inline, path: 'src/a.ts', line: 1 }], demoted: [demoted] },
    ...{ standing: [standing], nits: [nit], hidden: [hidden] },
  };
  const raised = [inline, demoted, standing, nit, hidden];
  const { origin: _origin, earlierId: _earlierId, verified: _verified, ...finding } = inline;
  const earlier = { ...finding, id: 1, lastRound: 1, note: words, status: 'fixed' };
  return {
    context: ReviewContext.parse({
      ...{ repo: 'ada/engine', flow: 'bugfix', branch: CANARY_BRANCH, designDocPath: null, headSha: SHA },
      ...{ pull: PULL, issue: ISSUE, checks: [], linked: [], discussion: { entries: [], omitted: 0 } },
      ...{ reviewedSha: null, round: 2, fixesLeft: 1, earlier: [earlier] },
      policy: { blockingSeverity: 'high', maxFindings: 20 },
    }),
    round: undefined,
    result: {
      ...{
        kind: 'review',
        headSha: SHA,
        summary: words,
        raised,
        dropped: [note],
        notes: [note],
        refuted: [note],
      },
      ...{ answers: [{ id: 1, status: 'fixed', evidence: words }], gone: [1] },
      placement: { inline: ['a'], demoted: ['b'], standing: ['c'], nits: ['d'], hidden: ['e'] },
    },
    raised,
    verdict: computeVerdict(raised, 'high'),
    placement,
  };
}

/** MergeXO's own pull request, as GitHub returns it before `update_body`. */
export function aPullOnGitHub(keys: SigningKeys): PullDetails {
  return {
    ...{ number: 7, title: 'x', state: 'open', status: 'open', draft: false, association: 'NONE', url: 'u' },
    body: signBody('Summary.', { meta: { run: '1' }, place: BRANCH_PLACE, keys }),
    author: { id: 1, login: 'robot', type: 'User' },
    ...{ headSha: SHA, headRef: CANARY_BRANCH, headRepoId: 1, baseRef: 'main', labels: [] },
    ...{ mergeCommitSha: null, mergedAt: null, createdAt: '', updatedAt: '' },
    ...{ mergeable: true, mergeableState: 'clean', commentCount: 0, reviewCommentCount: 0 },
  };
}
