import type { CheckStatus } from '../../agent/turn-package.js';
import { oneLine } from '../../prompts/fence.js';
import { type Part, quote, quotePost } from '../../prompts/part.js';
import { renderAuthor, renderLinks, renderPlace, renderVerdict } from '../../prompts/render-threads.js';
import type { FeedbackContext } from '../feedback/feedback-context.js';
import { renderChecks } from '../feedback/feedback-prompts.js';
import type { IssueContext, LinkedThread } from '../start/start-context.js';
import type { DiscussionEntry } from './discussion.js';

/** Maximum length of a document in the prompt. */
const MAX_DOCUMENT_LENGTH = 40_000;

/** Maximum length of a comment in the prompt. The reviewer should mostly read code. */
const MAX_ENTRY_LENGTH = 4_000;

/** The pull request as the prompts of reviews and fixes describe it. */
export type Reviewed = {
  repo: string;
  branch: string;
  baseSha: string;
  headSha: string;
  issue: IssueContext;
  pull: FeedbackContext['pull'];
  /** The documents of the base branch that specify the work: the design, a specification, a plan. */
  documents: readonly { path: string; text: string }[];
  checks: readonly CheckStatus[];
  linked: readonly LinkedThread[];
  unreadLinks: readonly number[];
  discussion: { entries: readonly DiscussionEntry[]; omitted: number };
};

export function renderPlaceOfWork({ repo, pull, issue, branch, headSha }: Reviewed): string {
  return (
    `Repository ${repo}, pull request #${pull.number} for issue #${issue.number}. Its branch ${oneLine(branch)} is ` +
    `checked out at ${headSha}.`
  );
}

export function renderTexts({ pull, issue, documents, checks, discussion, ...links }: Reviewed): Part[] {
  return [
    ...renderChecks(checks),
    quotePost('issue', `PULL REQUEST #${pull.number} ${renderAuthor(pull)}`, pull),
    quotePost('issue', `ISSUE #${issue.number} ${renderAuthor(issue)}`, issue),
    ...documents.map(({ path, text }) => ({
      ...quote('task', `DOCUMENT ${path}`, text),
      max: MAX_DOCUMENT_LENGTH,
    })),
    ...renderLinks(links),
    ...renderDiscussion(discussion),
  ];
}

function renderDiscussion({ entries, omitted }: Reviewed['discussion']): Part[] {
  if (entries.length === 0) return [];
  return [
    "People's comments, oldest first. They describe people's requirements and decisions:",
    ...(omitted === 0 ? [] : [`Omitted to stay within the size limit: ${omitted} older comments`]),
    ...entries.map((entry) => ({ ...quote('history', nameEntry(entry), entry.body), max: MAX_ENTRY_LENGTH })),
  ];
}

const PLACES: Record<DiscussionEntry['place'], string> = {
  issue: 'ISSUE COMMENT',
  conversation: 'COMMENT',
  line: 'LINE COMMENT',
  review: 'REVIEW',
};

function nameEntry(entry: DiscussionEntry): string {
  const { place, id, threadId, path, line, isResolved, reviewState } = entry;
  return [
    `${PLACES[place]} ${id} ${renderAuthor(entry)}`,
    ...(path === null ? [] : [`AT ${renderPlace({ path, line })}`]),
    ...(threadId === null || threadId === id ? [] : [`IN THREAD ${threadId}`]),
    ...renderVerdict(reviewState),
    ...(isResolved ? ['(resolved)'] : []),
  ].join(' ');
}
