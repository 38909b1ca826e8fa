import { MERGEXO_CLI } from '../basics/mergexo-cli.js';
import { FLOW_TRAITS, type Flow } from '../flows/flow.js';
import { renderIssueReference } from '../flows/run-name.js';
import type { Cap } from '../runs/check-limits.js';
import { neutraliseLine, neutraliseMarkdown } from '../text/neutralise.js';
import { quoteName } from '../text/quote-name.js';
import type { WaitKind } from '../turns/plan.js';

/** The body of a pull request: the agent's summary, and our own reference to the issue, which it cannot change. */
export function renderPullBody(pull: {
  flow: Flow;
  issueNumber: number;
  summary: string;
  designDocPath: string | null;
  /** Of an implementation: where the merged document and its pull request are. */
  design?: { baseUrl: string; prNumber: number | null } | undefined;
  acceptance?: Acceptance | undefined;
}): string {
  const { flow, issueNumber, summary, designDocPath, design, acceptance } = pull;
  return [
    neutraliseMarkdown(summary),
    ...(designDocPath === null ? [] : [renderDesignLine(designDocPath, design)]),
    renderAcceptance(acceptance ?? []),
    renderIssueReference(flow, issueNumber),
    '_Comment on this pull request, on lines or below: every comment is answered here._',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderDesignLine(
  path: string,
  design: { baseUrl: string; prNumber: number | null } | undefined,
): string {
  const name = quoteName(path);
  if (design === undefined) return `Design document: ${name}`;
  // Parentheses would end the link.
  const encoded = encodeURIComponent(path)
    .replaceAll('%2F', '/')
    .replace(/[()]/g, (mark) => (mark === '(' ? '%28' : '%29'));
  const merged = design.prNumber === null ? '' : `, merged in #${design.prNumber}`;
  return `Design document: [${name}](${design.baseUrl}/${encoded})${merged}`;
}

/** The path of the document, read back from the last line that names it. */
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
    return `${index + 1}. ${neutraliseLine(text)}\n   Shown by ${files}`;
  });
  return ['## Acceptance criteria', lines.join('\n')].join('\n\n');
}

export function renderStatusComment(pull: { flow: Flow; number: number; url: string }): string {
  return (
    `Pull request #${pull.number} proposes ${FLOW_TRAITS[pull.flow].product} for this issue: ${pull.url}\n\n` +
    'Please comment there; comments on this issue are no longer acted on.'
  );
}

export function renderParkNotice({ key, reason }: Pick<Cap, 'key' | 'reason'>): string {
  const end = key.endsWith('_per_day')
    ? 'It resumes at 00:00 UTC, or when an operator raises the limit.'
    : 'It resumes when an operator raises the limit, or comments `/mergexo retry`.';
  return `**Paused: a limit was reached.** ${reason}.\n\n${end}`;
}

/** Enough to know what happened; the rest is for the operator's own eyes. */
const MAX_REASON = 600;

export function renderBlockNotice(block: {
  reason: string;
  /** Where commits were expected, and what was found there. */
  expectedSha?: string | null;
  observedSha?: string | null;
  /** False when nothing of it is on GitHub, and the branch is where it was. */
  isPushed?: boolean;
  remedy: string;
}): string {
  const { reason, expectedSha, observedSha, isPushed = true, remedy } = block;
  const heads = isPushed
    ? `Expected head: ${expectedSha}\nObserved head: ${observedSha ?? 'none'}`
    : `Nothing was pushed: the branch is still at ${expectedSha}, which stays the accepted head.`;
  return [
    '**MergeXO stopped working on this and needs a person.**',
    neutraliseMarkdown(shortenReason(reason)),
    ...(expectedSha ? [heads] : []),
    remedy,
  ].join('\n\n');
}

/** Output of programs may be long; the whole text is in the operator's records. */
export function shortenReason(reason: string): string {
  return reason.length > MAX_REASON ? `${reason.slice(0, MAX_REASON)} …` : reason;
}

export const START_REMEDY = `Once the cause is fixed, an operator comments \`/mergexo retry\` here, or runs \`${MERGEXO_CLI} feedback blocked reset --issue <number>\`.`;

/** What an operator can do about a blocked pull request: restore the history, or accept the new one. */
export function renderPullRemedy(block: {
  prNumber: number;
  rewritten: boolean;
  observedSha: string | null;
}): string {
  const { prNumber, rewritten, observedSha } = block;
  if (!rewritten) {
    return `Once the cause is mended, an operator comments \`/mergexo unblock\` here, or runs \`${MERGEXO_CLI} feedback blocked reset --pr ${prNumber}\`. No comment is lost meanwhile.`;
  }
  const sha = observedSha ?? '<sha>';
  return [
    'Choose one:',
    `- A: restore the expected head on the branch, then comment \`/mergexo unblock\` (or run \`${MERGEXO_CLI} feedback blocked reset --pr ${prNumber}\`).`,
    `- B: accept the new history: comment \`/mergexo unblock head_sha=${sha}\` (or run \`${MERGEXO_CLI} feedback blocked reset --pr ${prNumber} --head-sha ${sha}\`).`,
    '',
    'No comment is lost meanwhile.',
  ].join('\n');
}

const WAITS: Record<WaitKind, string> = {
  agent_blocked: 'The agent cannot go on by itself',
  agent_failed: 'The agent failed',
  answer_unusable: 'The agent gave an answer that MergeXO cannot use',
  push_refused: 'The push was refused',
  superseded: 'Somebody else keeps moving the branch',
  tests_failed: 'The required tests fail, and the agent could not mend that',
  tests_unavailable: 'The required tests cannot run, so the agent was not asked',
  tests_missing: 'The fix comes without a test, which this repository asks for',
  no_changes: 'The agent changed nothing',
  history_rewritten: 'The agent rewrote history, so its work was not taken',
  new_issue_comments_pending: 'New comments came before the pull request was opened',
  rebuilt: 'The work waited when the records were lost',
  legacy: 'The work ended before its pull request',
  interrupted: 'The work was interrupted',
};

/** In a few words, for logs and for the agent. */
export function describeWait(waitKind: WaitKind): string {
  return WAITS[waitKind];
}

export function renderWaitComment(wait: {
  waitKind: WaitKind;
  reason: string;
  checkpoint: { branch: string; sha: string } | null;
  /** The page of the repository and the branch that the work is compared with, for the link. */
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
          `What was done so far is on \`${checkpoint.branch}\`, commit ${checkpoint.sha}: ` +
            `${repoUrl}/compare/${baseBranch}...${checkpoint.sha}`,
        ]),
    'Reply on this issue to resume the work; a reply is all it takes.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export function renderRedirect(pull: { number: number; url: string }, commentUrl: string): string {
  return (
    `Comments on this issue, [this one](${commentUrl}) too, are no longer actioned: pull request #${pull.number} is open ` +
    `for it. Please comment there: ${pull.url}`
  );
}

/** A closing ends the work; whoever closed it by mistake reads here how it goes on. */
export function renderCloseNotice(closed: 'issue' | 'pull'): string {
  return closed === 'issue'
    ? 'The issue was closed, so the work on it ends. Reopen it to start again.'
    : 'This pull request was closed, so the work on it ends. Reopen it to go on here; to start anew, remove the label ' +
        'from the issue and add it again, or comment a `/mergexo` command there.';
}

/** The thread on lines of a comment that only the general comment answers. */
export function renderThreadLink(url: string): string {
  return `Answered in [a comment on the pull request](${url}).`;
}

export function renderReviewerNotice(login: string): string {
  return (
    `MergeXO does not act on comments of ${quoteName(login)}: the login is not in \`allowed_users\`. ` +
    'To include somebody, add the login to `allowed_users` of this repository in `mergexo.toml` and restart MergeXO. ' +
    'This note is posted once per pull request.'
  );
}

export function renderConflictNotice(conflict: { baseBranch: string; autoUpdate: boolean }): string {
  const { baseBranch, autoUpdate } = conflict;
  return [
    `This branch conflicts with ${quoteName(baseBranch)}.`,
    autoUpdate
      ? 'It is merged in and the conflicts are resolved in the next turn.'
      : 'Comment `/mergexo update` to have it merged in and the conflicts resolved, by a merge commit; or do it yourself.',
  ].join(' ');
}
