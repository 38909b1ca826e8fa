import { findCapEnd } from '@mergexo/core/runs';
import { countOf } from '@mergexo/core/text';
import { asksForHead } from '@mergexo/core/turns';
import type { Reader } from '../create-reader.js';
import { findRetry, type Retry } from '../facts/home/find-retry.js';
import { type Blocked, findBlocked } from '../facts/read-blocked.js';
import { type Html, html } from '../html.js';
import { formatTime } from '../pages/format.js';
import type { Links } from '../pages/links.js';
import { renderTag } from '../pages/parts.js';
import { type IssueParams, parseIssueParams } from '../parse-issue-params.js';
import type { Confirm, Done, OperatorForm } from './operator-form.js';
import { readField } from './read-field.js';

/**
 * Resumes a blocked pull request or an issue that was blocked before it had a pull request, or starts scheduled work now.
 */
export function createUnblockForm({
  reader,
  links,
}: {
  reader: Reader;
  links: Links;
}): OperatorForm<IssueParams> {
  const nameOf = ({ repo, number }: IssueParams): string => `${repo}#${number}`;
  const showRetry = (subject: IssueParams): Confirm | string => {
    const retry = reader.readState((facts) => findRetry(facts, subject, reader.now()));
    if (retry === undefined) return `${nameOf(subject)} is not blocked, and no retry is scheduled.`;
    const fields = retry.pr === subject.number ? PULL_FIELDS : ISSUE_FIELDS;
    return {
      title: `Retry ${nameOf(subject)} now?`,
      verb: 'Retry now',
      about: renderRetry(retry, links),
      fields,
    };
  };
  return {
    parse: parseIssueParams,
    identify: nameOf,
    locate: ({ repo, number }) => `/issues/${repo}/${number}`,
    show(subject) {
      const item = reader.readState((facts) => findBlocked(facts, subject.repo, subject.number));
      if (item === undefined) return showRetry(subject);
      const verb = item.pr === null ? 'Retry' : 'Unblock';
      const fields = item.pr === null ? ISSUE_FIELDS : renderHeads(item);
      return { title: `${verb} ${nameOf(subject)}?`, verb, about: renderAbout(item, links), fields };
    },
    build({ repo, number }, body, request) {
      const headSha = readField(body, 'head_sha', /^([0-9a-f]{40})?$/);
      if (headSha === undefined) return 'Nothing was changed. Go back and select the head commit to accept.';
      const isIssue = readField(body, 'of', /^issue$/) !== undefined;
      const target = isIssue ? { repo, issueNumber: number } : { repo, prNumber: number };
      return {
        kind: 'reset',
        ...request,
        pulls: [target],
        repo: null,
        headSha: headSha === '' ? null : headSha,
      };
    },
    describe(subject, answer) {
      const [pull] = answer.kind === 'reset' ? answer.pulls : [];
      if (pull === undefined) return undefined;
      const { waitingComments: waiting, acceptedHeadSha: head, limit } = pull;
      if (limit !== null) return describeLimit(nameOf(subject), limit);
      const replies = waiting === 0 ? '' : ` and will reply to ${countOf(waiting, 'comment')}`;
      const text = html`MergeXO resumed work${replies}.${head !== null && html` The accepted head is <code>${head}</code>.`}`;
      return { title: `${nameOf(subject)} resumed`, text };
    },
  };
}

const PULL_FIELDS = html`<input type="hidden" name="head_sha" value="">`;
const ISSUE_FIELDS = html`<input type="hidden" name="of" value="issue">${PULL_FIELDS}`;

function renderRetry({ brake, why, retryAt, ...work }: Retry, links: Links): Html {
  const { repo, issue, title, pr } = work;
  return html`<p>${links.issue(repo, issue)} <bdi>${title}</bdi>${pr !== null && html`, pull request ${links.pull({ ...work, pr })}`}</p>
<p>${brake === 'backoff' ? html`The last attempt failed${retryAt !== null && html`, and MergeXO retries at ${formatTime(retryAt)}`}:` : 'A daily limit was reached, and the work resumes at 00:00 UTC:'}</p>
<p class="text"><bdi>${why}</bdi></p>
<p>${brake === 'backoff' ? "If you continue, MergeXO retries as soon as a worker is free. A usage limit of the agent's provider still applies." : COUNTS_FROM_ZERO}</p>`;
}

const COUNTS_FROM_ZERO =
  'If you continue, MergeXO works on the issue again and starts counting its usage from zero.';

function describeLimit(name: string, { adapter, until }: { adapter: string; until: number }): Done {
  const text = html`<bdi>${adapter}</bdi> has reached its usage limit. MergeXO retries at ${formatTime(until)}, when the limit resets.`;
  return { title: `${name} is waiting for a usage limit to reset`, text };
}

function renderAbout(item: Blocked, links: Links): Html {
  const { repo, pr, issue, title, kind, reason, waitingComments } = item;
  const what = pr === null ? 'issue' : 'pull request';
  const isLimit = findCapEnd(kind) !== undefined;
  return html`<p>${links.issue(repo, issue)} <bdi>${title}</bdi>${pr !== null && html`, pull request ${links.pull(item)}`}</p>
<p>MergeXO stopped working on this ${what}. ${renderTag('bad', kind.replaceAll('_', ' '))}</p>
<p class="text"><bdi>${reason}</bdi></p>
<p>${isLimit ? COUNTS_FROM_ZERO : `If you continue, MergeXO works on the ${what} again.`}${waitingComments > 0 && html` ${countOf(waitingComments, 'comment')} ${waitingComments === 1 ? 'is' : 'are'} waiting for a reply.`}${!isLimit && ` If the cause still exists, MergeXO will block the ${what} again.`}</p>`;
}

/**
 * Renders the choice of heads. After a rewrite, neither head is preselected, because keeping a head that the branch
 * lacks would block the pull request again.
 */
function renderHeads({ kind, acceptedHeadSha, headSha }: Blocked): Html {
  const canAccept = headSha !== null && headSha !== acceptedHeadSha;
  const mustChoose = canAccept && asksForHead(kind);
  return html`<fieldset><legend>Accepted head</legend>
<label><input type="radio" name="head_sha" value=""${mustChoose ? html` required` : html` checked`}> keep <code>${acceptedHeadSha ?? 'the current head commit'}</code>${mustChoose && html` <span class="quiet">(restore it on the branch first)</span>`}</label>
${canAccept && html`<label><input type="radio" name="head_sha" value="${headSha}"> accept <code>${headSha}</code> <span class="quiet">(last seen on GitHub)</span></label>`}
</fieldset>`;
}
