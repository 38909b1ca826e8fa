import type { CheckStatus } from '../../ci/describe-checks.js';
import { fence, fencePost, list, oneLine } from '../../prompts/fence.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import { sanitiseText } from '../../sanitise/sanitise-text.js';
import { renderChecks, renderFiles, renderPlace } from '../feedback/feedback-prompts.js';
import type { ReviewOutput } from './review-output.js';

type Finding = ReviewOutput['findings'][number];
type Document = { path: string; text: string };

/** Enough for a specification; an agent reads the rest of a longer one in its file. */
const MAX_DOCUMENT_LENGTH = 40_000;

type Reviewed = {
  repo: string;
  branch: string;
  baseSha: string;
  headSha: string;
  issue: { number: number; title: string; body: string };
  pull: { number: number; title: string; body: string };
  /** What the work was to be: the merged design, a specification, a plan. */
  documents: readonly Document[];
  checks: readonly CheckStatus[];
};

export type ReviewInput = Reviewed & {
  changedFiles: readonly string[];
  /** The head that the last round looked at; null in the first round. */
  reviewedSha: string | null;
  blockingSeverity: Finding['severity'];
  /** Of the last round, with what became of them. */
  openFindings: readonly (Pick<Finding, 'path' | 'line' | 'severity' | 'body'> & {
    id: number;
    answer: string;
  })[];
  /** People decided on them. */
  dismissedFindings: readonly Pick<Finding, 'path' | 'line' | 'body'>[];
};

export function renderReview(input: ReviewInput, frame: Frame): string {
  const task = [
    `Read the change: git diff ${input.baseSha}...${input.headSha}. Do not edit files.`,
    'Report what you can prove, with path and line of the new file and why it fails. No praise, no matters of taste.',
    'severity: critical or high must be mended before a merge; medium should; low may.',
    `category: ${CATEGORIES}.`,
    'suggestion: the code that shall stand in place of that one line, and nothing else; null where that does not mend it.',
    ...listAfterFirst(input),
  ];
  return [
    renderPlaceOfWork(input),
    `Review the pull request.\n${list(task)}`,
    renderSystemBase('review', frame),
    ...input.openFindings.map(({ id, severity, answer, ...finding }) =>
      fence(
        `OPEN FINDING ${id} (${severity}) AT ${renderPlace(finding)}`,
        `${sanitiseText(finding.body)}\n\nAnswer: ${answer}`,
      ),
    ),
    ...input.dismissedFindings.map((finding) =>
      fence(`DISMISSED FINDING AT ${renderPlace(finding)}`, finding.body),
    ),
    ...renderTexts(input),
    ...renderFiles(input.changedFiles),
  ].join('\n\n');
}

/** What differs from a first look: few new things are said, and nothing that is decided. */
function listAfterFirst(input: ReviewInput): string[] {
  const { reviewedSha, headSha, blockingSeverity, openFindings, dismissedFindings } = input;
  const since = `This is not the first round. New since the last one: git diff ${reviewedSha} ${headSha}.`;
  return [
    ...(reviewedSha === null ? [] : [`${since} Report no new finding below ${blockingSeverity}.`]),
    ...(openFindings.length === 0
      ? []
      : [
          'Look at each open finding below again, and report it again if it still holds. The code counts, not the answer.',
        ]),
    ...(dismissedFindings.length === 0
      ? []
      : [
          'People dismissed some findings, see below. Do not report them again, nor the same in other words.',
        ]),
  ];
}

const CATEGORIES =
  'spec_compliance (all that was asked, nothing else), plan_adherence, security (input, secrets, injection), quality ' +
  '(types, errors, dead code), architecture (borders, dependencies), edge_cases (nothing, limits, failure), duplication, tests';

export type ReviewFixInput = Reviewed & {
  /** Null for an agent that keeps its conversation. */
  summary: string | null;
  reviewSummary: string;
  findings: readonly (Finding & { id: number })[];
};

export function renderReviewFix(input: ReviewFixInput, frame: Frame): string {
  const task = [
    'Address each review comment. Do not modify code unrelated to the review feedback.',
    'Where this change has the same fault in other places, mend it there as well, so that one round is enough.',
    'Answer each finding by its id: fixed, wontfix or disputed, with a note that says what you did or why not.',
    'Edit the files in the working directory and give a commit_message. Your edits are committed and pushed to this ' +
      'branch after your answer; the pull request is open, do not make another.',
  ];
  return [
    renderPlaceOfWork(input),
    `A review asked for changes.\n${list(task)}`,
    renderSystemBase('review_fix', frame),
    renderStateSummary(input.summary),
    ...renderTexts(input),
    fence('REVIEW SUMMARY', input.reviewSummary),
    ...input.findings.map(renderFinding),
  ].join('\n\n');
}

function renderFinding({
  id,
  severity,
  category,
  body,
  suggestion,
  ...place
}: ReviewFixInput['findings'][number]): string {
  const text = suggestion === null ? body : `${sanitiseText(body)}\n\nSuggestion:\n${suggestion}`;
  return fence(`FINDING ${id} (${severity}, ${category}) AT ${renderPlace(place)}`, text);
}

function renderPlaceOfWork({ repo, pull, issue, branch, headSha }: Reviewed): string {
  return (
    `Repository ${repo}, pull request #${pull.number} for issue #${issue.number}. Its branch ${oneLine(branch)} is ` +
    `checked out at ${headSha}.`
  );
}

function renderTexts({ pull, issue, documents, checks }: Reviewed): string[] {
  return [
    ...renderChecks(checks),
    fencePost(`PULL REQUEST #${pull.number}`, pull),
    fencePost(`ISSUE #${issue.number}`, issue),
    ...documents.map(({ path, text }) => fence(`DOCUMENT ${path}`, cutDocument(text))),
  ];
}

function cutDocument(text: string): string {
  if (text.length <= MAX_DOCUMENT_LENGTH) return text;
  const left = text.length - MAX_DOCUMENT_LENGTH;
  return `${text.slice(0, MAX_DOCUMENT_LENGTH)}\n[${left} more characters are in the file]`;
}
