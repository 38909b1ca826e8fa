import type { CheckStatus } from '../../agent/turn-package.js';
import { fence, fencePost, list, oneLine } from '../../prompts/fence.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import { sanitiseText } from '../../sanitise/sanitise-text.js';
import { renderChecks, renderFiles, renderPlace } from '../feedback/feedback-prompts.js';
import { type ReviewOutput, SEVERITIES } from './review-output.js';

type Finding = ReviewOutput['findings'][number];
type Document = { path: string; text: string };

/** Maximum length of a document in the prompt. The agent can read the rest of a longer document in its file. */
const MAX_DOCUMENT_LENGTH = 40_000;

type Reviewed = {
  repo: string;
  branch: string;
  baseSha: string;
  headSha: string;
  issue: { number: number; title: string; body: string };
  pull: { number: number; title: string; body: string };
  /** The documents of the base branch that specify the work: the design, a specification, a plan. */
  documents: readonly Document[];
  checks: readonly CheckStatus[];
};

export type ReviewInput = Reviewed & {
  changedFiles: readonly string[];
  /** The head that the previous round reviewed; null in the first round. */
  reviewedSha: string | null;
  blockingSeverity: Finding['severity'];
  /** Findings of the last round that nobody dismissed, each with the fixing agent's resolution and note. */
  openFindings: readonly (Pick<Finding, 'path' | 'line' | 'severity' | 'body'> & {
    id: number;
    status: string;
    note: string | null;
  })[];
  /** Findings that people dismissed. */
  dismissedFindings: readonly Pick<Finding, 'path' | 'line' | 'body'>[];
};

export function renderReview(input: ReviewInput, frame: Frame): string {
  const task = [
    `Read the change: git diff ${input.baseSha}...${input.headSha}. Do not edit files.`,
    'Report only findings that you can prove, each with its path, its line in the new file and the reason. Do not include praise or style preferences.',
    'severity: critical and high must be fixed before the merge; medium should be fixed; low is optional.',
    `category: ${CATEGORIES}.`,
    'suggestion: only the code that replaces the reported line; null if replacing that line alone does not fix the finding.',
    ...listAfterFirst(input),
  ];
  return [
    renderPlaceOfWork(input),
    `Review the pull request.\n${list(task)}`,
    renderSystemBase('review', frame),
    ...input.openFindings.map(({ id, severity, status, note, ...finding }) =>
      fence(
        `OPEN FINDING ${id} (${severity}) AT ${renderPlace(finding)}`,
        `${sanitiseText(finding.body)}\n\n${renderAnswer(status, note)}`,
      ),
    ),
    ...input.dismissedFindings.map((finding) =>
      fence(`DISMISSED FINDING AT ${renderPlace(finding)}`, finding.body),
    ),
    ...renderTexts(input),
    ...renderFiles(input.changedFiles),
  ].join('\n\n');
}

function renderAnswer(status: string, note: string | null): string {
  if (status === 'open') return "Author's answer: none";
  return note === null ? `Author's answer: ${status}` : `Author's answer (${status}): ${note}`;
}

/** Returns extra rules for rounds after the first: no new minor findings, and no findings that people dismissed. */
function listAfterFirst(input: ReviewInput): string[] {
  const { reviewedSha, headSha, blockingSeverity, openFindings, dismissedFindings } = input;
  const since = `This is not the first round. To see the changes since the last one, run git diff ${reviewedSha} ${headSha}.`;
  return [
    ...(reviewedSha === null
      ? []
      : [`${since} Report a new finding only if it is ${listFrom(blockingSeverity)}.`]),
    ...(openFindings.length === 0
      ? []
      : [
          "Check each open finding below again, and report it again if it still applies. Judge by the code, not by the author's answer.",
        ]),
    ...(dismissedFindings.length === 0
      ? []
      : [
          'People dismissed the findings marked DISMISSED below. Do not report them again, even in other words.',
        ]),
  ];
}

/** Lists a severity and those above it: `high or critical`. */
function listFrom(severity: Finding['severity']): string {
  const names = SEVERITIES.slice(0, SEVERITIES.indexOf(severity) + 1).toReversed();
  return names.join(', ').replace(/, (\w+)$/, ' or $1');
}

const CATEGORIES =
  'spec_compliance (everything the issue asks for, nothing else), plan_adherence (the change follows its design), security (input, secrets, injection), quality ' +
  '(types, errors, dead code), architecture (boundaries, dependencies), edge_cases (empty input, limits, failures), duplication, tests';

export type ReviewFixInput = Reviewed & {
  /** The state summary for a new conversation; null for a continued conversation. */
  summary: string | null;
  reviewSummary: string;
  findings: readonly (Finding & { id: number })[];
};

export function renderReviewFix(input: ReviewFixInput, frame: Frame): string {
  const task = [
    'Address each review comment. Do not modify code unrelated to the review feedback. The review comments are the findings below.',
    'If this change has the same problem in other places, fix it there too, so that one round is enough.',
    'In the findings field, give the id of each finding, a resolution (fixed, wontfix or disputed) and a note that explains what you changed, or why you changed nothing.',
    'Edit the files in the working directory and write a commit_message. MergeXO commits and pushes your edits to ' +
      'this branch after you answer. The pull request already exists; do not create another one.',
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
