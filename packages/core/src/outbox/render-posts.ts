import { MERGEXO_CLI } from '../basics/mergexo-cli.js';
import { FLOW_TRAITS, type Flow } from '../flows/flow.js';
import { renderIssueReference } from '../flows/run-name.js';
import type { Cap } from '../runs/check-limits.js';
import { linkFile } from '../text/link-file.js';
import { neutraliseLine, neutraliseMarkdown } from '../text/neutralise.js';
import { quoteName } from '../text/quote-name.js';
import type { WaitKind } from '../turns/plan.js';
import { type PullReceipt, renderPullReceipt } from './render-receipt.js';

/** The last visible line of a pull request's body. */
export const PULL_FOOTER =
  '_Comment on a line or in the conversation. MergeXO replies to every comment from an allowed user._';

/** Renders the body of a pull request: the agent's summary and the issue reference, which the agent cannot change. */
export function renderPullBody(pull: {
  flow: Flow;
  issueNumber: number;
  summary: string;
  designDocPath: string | null;
  /** For an implementation: the base URL of the merged document, and the pull request that merged it. */
  design?: { baseUrl: string; prNumber: number | null } | undefined;
  acceptance?: Acceptance | undefined;
  /** The test files that make the required tests fail on the base branch. */
  provedBy?: readonly string[] | undefined;
  /** What the work on this pull request used; absent unless the repository shows it. */
  receipt?: PullReceipt | undefined;
}): string {
  const { flow, issueNumber, summary, designDocPath, design, acceptance, provedBy = [] } = pull;
  return [
    neutraliseMarkdown(summary),
    ...(designDocPath === null ? [] : [renderDesignLine(designDocPath, design)]),
    renderAcceptance(acceptance ?? []),
    renderProof(provedBy),
    renderIssueReference(flow, issueNumber),
    pull.receipt === undefined ? '' : renderPullReceipt(pull.receipt),
    PULL_FOOTER,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderDesignLine(
  path: string,
  design: { baseUrl: string; prNumber: number | null } | undefined,
): string {
  if (design === undefined) return `Design document: ${quoteName(path)}`;
  const merged = design.prNumber === null ? '' : `, merged in #${design.prNumber}`;
  return `Design document: ${linkFile(path, design.baseUrl)}${merged}`;
}

/** Reads the path of the design document from the last line of the body that names it. */
export function parseDesignLine(body: string): string | undefined {
  const line =
    /^Design document: \[?`([^`\n]{1,500})`(?:\]\([^()\s]{1,2000}\)(?:, merged in #\d{1,12})?)?$/gm;
  return [...body.matchAll(line)].at(-1)?.[1];
}

type Acceptance = readonly { text: string; shownBy: readonly string[] }[];

function renderAcceptance(acceptance: Acceptance): string {
  if (acceptance.length === 0) return '';
  const lines = acceptance.map(({ text, shownBy }, index) => {
    const files = shownBy.map(quoteName).join(', ');
    return `${index + 1}. ${neutraliseLine(text)}\n   Evidence: ${files}`;
  });
  return ['## Acceptance criteria', lines.join('\n')].join('\n\n');
}

function renderProof(files: readonly string[]): string {
  if (files.length === 0) return '';
  const names = files.map(quoteName).join(', ');
  return `MergeXO ran the required tests: with ${names}, they fail without this fix and pass with it.`;
}

export function renderStatusComment(pull: { flow: Flow; number: number; url: string }): string {
  return (
    `Pull request #${pull.number} proposes ${FLOW_TRAITS[pull.flow].product} for this issue: ${pull.url}\n\n` +
    'Please comment there. MergeXO no longer acts on comments on this issue.'
  );
}

export function renderParkNotice({ end, reason }: Pick<Cap, 'end' | 'reason'>): string {
  const next =
    end === 'midnight'
      ? 'Work resumes at 00:00 UTC, or when an operator raises the limit or comments `/mergexo retry`.'
      : 'Work resumes when an operator raises the limit or comments `/mergexo retry`.';
  return `**Paused: a limit was reached.** ${reason}.\n\n${next}`;
}

/** Maximum length of a reason in a post: long enough to explain the cause. The database has the full text. */
const MAX_REASON = 600;

export function renderBlockNotice(block: {
  reason: string;
  /** The expected head of the branch, and the head that MergeXO read from GitHub. */
  expectedSha?: string | null;
  observedSha?: string | null;
  /** False if nothing was pushed and the branch did not move. */
  isPushed?: boolean;
  remedy: string;
}): string {
  const { reason, expectedSha, observedSha, isPushed = true, remedy } = block;
  const heads = isPushed
    ? `Expected head commit: ${expectedSha}\nObserved head commit: ${observedSha ?? 'none'}`
    : `Nothing was pushed. The branch is still at ${expectedSha}, which remains the accepted head.`;
  return [
    "**Blocked: MergeXO stopped working on this and needs a person's help.**",
    neutraliseMarkdown(shortenReason(reason)),
    ...(expectedSha ? [heads] : []),
    remedy,
  ].join('\n\n');
}

/**
 * Shortens a reason, which may contain long program output. The database has the full text. Cuts no surrogate pair,
 * because GitHub refuses half of one.
 */
export function shortenReason(reason: string): string {
  if (reason.length <= MAX_REASON) return reason;
  return `${reason.slice(0, MAX_REASON).replace(/[\ud800-\udbff]$/, '')} …`;
}

/** Tells people that GitHub refused a comment for good, so that they do not wait for it. */
export function renderRefusal(reason: string): string {
  return (
    `MergeXO could not post its reply, because GitHub refused it: ${neutraliseLine(shortenReason(reason))}\n\n` +
    'Comment again to ask for another reply. An operator can read the full error on the dashboard.'
  );
}

export const START_REMEDY = `Once the cause is fixed, an operator can comment \`/mergexo retry\` here or run \`${MERGEXO_CLI} feedback blocked reset --issue <number>\`.`;

/**
 * Renders the operator's options for a blocked pull request. After a rewrite, the options are to restore the old
 * history or to accept the new one.
 */
export function renderPullRemedy(block: {
  prNumber: number;
  rewritten: boolean;
  observedSha: string | null;
}): string {
  const { prNumber, rewritten, observedSha } = block;
  if (!rewritten) {
    return `Once the cause is fixed, an operator can comment \`/mergexo unblock\` here or run \`${MERGEXO_CLI} feedback blocked reset --pr ${prNumber}\`. MergeXO then replies to the waiting comments.`;
  }
  const sha = observedSha ?? '<sha>';
  return [
    'Choose one:',
    `- To return to the old history, restore the expected head commit on the branch, then comment \`/mergexo unblock\` (or run \`${MERGEXO_CLI} feedback blocked reset --pr ${prNumber}\`).`,
    `- To accept the new history, comment \`/mergexo unblock head_sha=${sha}\` (or run \`${MERGEXO_CLI} feedback blocked reset --pr ${prNumber} --head-sha ${sha}\`).`,
    '',
    'MergeXO then replies to the waiting comments.',
  ].join('\n');
}

const WAITS: Record<WaitKind, string> = {
  agent_blocked: 'The agent needs an answer before it can continue',
  agent_failed: 'The agent failed',
  answer_unusable: "MergeXO could not use the agent's answer",
  push_refused: 'GitHub rejected the push',
  superseded: 'Other people kept pushing to the branch before MergeXO could push',
  tests_failed: 'The required tests fail, and the agent could not fix them',
  tests_unavailable: 'The required tests cannot run, so MergeXO did not start the agent',
  setup_failed: 'Setup fails, so MergeXO did not start the agent',
  tests_missing: 'The fix has no test that fails without it, and this repository requires one',
  no_changes: 'The agent changed no files',
  history_rewritten: 'The agent rewrote the git history, so MergeXO discarded its work',
  secret_found: 'The agent wrote a secret into the change, so MergeXO pushed nothing',
  new_issue_comments_pending: 'New comments arrived before the pull request was opened',
  rebuilt: 'MergeXO lost its database while this work was waiting',
  legacy: 'The work ended before a pull request was opened',
  interrupted: 'The work was interrupted',
};

/** Returns a short description of a wait, for logs and for the agent. */
export function describeWait(waitKind: WaitKind): string {
  return WAITS[waitKind];
}

export function renderWaitComment(wait: {
  waitKind: WaitKind;
  reason: string;
  checkpoint: { branch: string; sha: string } | null;
  /** The repository's page and the base branch, for the comparison link. */
  repoUrl: string;
  baseBranch: string;
}): string {
  const { waitKind, reason, checkpoint, repoUrl, baseBranch } = wait;
  return [
    `**${WAITS[waitKind]}.**`,
    neutraliseMarkdown(reason),
    ...(checkpoint === null
      ? []
      : [
          `The work so far is on \`${checkpoint.branch}\` at commit ${checkpoint.sha}: ` +
            `${repoUrl}/compare/${baseBranch}...${checkpoint.sha}`,
        ]),
    'Reply on this issue to resume the work.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function renderRedirect(pull: { number: number; url: string }, commentUrl: string): string {
  return (
    `Pull request #${pull.number} is open for this issue, so MergeXO no longer acts on comments here, including ` +
    `[this one](${commentUrl}). Please comment on the pull request instead: ${pull.url}`
  );
}

/** Explains that MergeXO stopped because the issue or pull request was closed, and how to resume. */
export function renderCloseNotice(closed: 'issue' | 'pull'): string {
  return closed === 'issue'
    ? 'This issue was closed, so MergeXO stopped working on it. Reopen the issue to start again.'
    : 'This pull request was closed, so MergeXO stopped working on it. Reopen it to continue here. To start over, ' +
        'remove the label from the issue and add it again, or post a `/mergexo` command there.';
}

/** Renders the link to the general comment, for a review thread that only the general comment answers. */
export function renderThreadLink(url: string): string {
  return `The reply is in [a comment on the pull request](${url}).`;
}

export function renderReviewerNotice(login: string): string {
  return (
    `MergeXO does not act on comments by ${quoteName(login)} because the login is not in \`allowed_users\`. ` +
    'To change this, add the login to `allowed_users` for this repository in `mergexo.toml` and restart MergeXO. ' +
    'MergeXO posts this note once per pull request.'
  );
}

export function renderConflictNotice(conflict: { baseBranch: string; autoUpdate: boolean }): string {
  const { baseBranch, autoUpdate } = conflict;
  return [
    `This branch conflicts with ${quoteName(baseBranch)}.`,
    autoUpdate
      ? 'MergeXO will merge the base branch and resolve the conflicts.'
      : 'To have MergeXO resolve the conflicts in a merge commit, comment `/mergexo update`. You can also resolve them yourself.',
  ].join(' ');
}
