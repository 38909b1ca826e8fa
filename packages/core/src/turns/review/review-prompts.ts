import { list } from '../../prompts/fence.js';
import { type Part, quote } from '../../prompts/part.js';
import { renderPlace } from '../../prompts/render-threads.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import { sanitiseText } from '../../sanitise/sanitise-text.js';
import { renderFiles } from '../feedback/feedback-prompts.js';
import { type ReviewOutput, SEVERITIES } from './review-output.js';
import { type Reviewed, renderPlaceOfWork, renderTexts } from './reviewed-pull.js';

type Severity = ReviewOutput['findings'][number]['severity'];
type Place = { path: string; startLine: number | null; line: number | null };

export type ReviewInput = Reviewed & {
  changedFiles: readonly string[];
  /** The head that the previous round reviewed; null in the first round. */
  reviewedSha: string | null;
  blockingSeverity: Severity;
  /** Maximum number of findings that the review shows. */
  maxFindings: number;
  /** Findings of the last round that nobody dismissed, each with the fixing agent's resolution and note. */
  openFindings: readonly (Place & {
    id: number;
    severity: Severity;
    body: string;
    status: string;
    note: string | null;
  })[];
  /** Findings that people dismissed. */
  dismissedFindings: readonly (Place & { body: string })[];
};

export function renderReview(input: ReviewInput, frame: Frame): Part[] {
  return [
    renderPlaceOfWork(input),
    `Review the pull request.\n${list([...listRules(input), ...listAfterFirst(input)])}`,
    ...renderSystemBase('review', frame),
    ...input.openFindings.map(({ id, severity, status, note, body, ...place }) =>
      quote(
        'event',
        `OPEN FINDING ${id} (${severity}) AT ${renderPlace(place)}`,
        `${sanitiseText(body)}\n\n${renderAnswer(status, note)}`,
      ),
    ),
    ...input.dismissedFindings.map((finding) =>
      quote('history', `DISMISSED FINDING AT ${renderPlace(finding)}`, finding.body),
    ),
    ...renderTexts(input),
    ...renderFiles(input.changedFiles),
  ];
}

function listRules({ baseSha, headSha, blockingSeverity, maxFindings }: ReviewInput): string[] {
  return [
    `Read the change: git diff ${baseSha}...${headSha}. Read the code around it too. Do not edit files.`,
    'Report only problems that this change introduces and that you can prove from the code. If you are unsure, leave the finding out.',
    'Before you report a problem on a line, read the line at the head commit and check that it has the problem. body: name the input or condition that triggers the failure, and the result.',
    'Do not report formatting or anything else that a linter finds, style preferences, praise, or requests to verify something. Do not report code outside the change unless the change breaks it; then name the broken code.',
    'introduced: true if this change causes the problem, false if the problem existed before. Only introduced problems can block the merge.',
    'Compare the change with each requirement in the issue, its comments and the documents. Report each unmet requirement as spec_compliance. If the change breaks a repository rule, quote the rule and name its file.',
    `severity: critical, high, medium or low. MergeXO blocks the merge for ${listFrom(blockingSeverity)}.`,
    `Report the most severe problems first. People see at most ${maxFindings} of your findings.`,
    `category: ${CATEGORIES}.`,
    'line: the last line of the problem in the new file. start_line: its first line if the problem spans several lines, otherwise null.',
    'suggestion: only the code that replaces the lines from start_line to line, with their indentation; null if replacing these lines does not fix the whole finding.',
  ];
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
          "earlier: one entry for each open finding below, with its id. status: holds if the code still has the problem, otherwise fixed. Judge by the code, not by the author's answer.",
          'evidence: the path and line, or a quote from the code, that proves the status. line: the current line of a finding that holds. Do not repeat open findings in the findings field.',
        ]),
    ...(dismissedFindings.length === 0
      ? []
      : [
          'People dismissed the findings marked DISMISSED below. Do not report them again, even in other words.',
        ]),
  ];
}

/** Lists a severity and all higher severities: `high or critical`. */
function listFrom(severity: Severity): string {
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
  findings: readonly (Place & {
    id: number;
    severity: Severity;
    category: string;
    body: string;
    suggestion: string | null;
  })[];
};

export function renderReviewFix(input: ReviewFixInput, frame: Frame): Part[] {
  const task = [
    'The findings below are the review comments. Address each review comment. Do not modify code unrelated to the review feedback.',
    'A finding can be wrong. Check it at its path and line before you change anything, and dispute it with evidence if it does not hold.',
    'If the problem in a finding also occurs elsewhere in this change, fix it there too, so that one round is enough.',
    'In the findings field, give the id of each finding, a resolution (fixed, wontfix or disputed) and a note that says what you changed and where, such as src/a.ts:12, or why you changed nothing. Never write only "Done".',
    'Edit the files in the working directory and write a commit_message. MergeXO commits and pushes your edits to ' +
      'this branch after you answer. The pull request already exists; do not create another one.',
  ];
  return [
    renderPlaceOfWork(input),
    `A review asked for changes.\n${list(task)}`,
    ...renderSystemBase('review_fix', frame),
    ...renderStateSummary(input.summary),
    ...renderTexts(input),
    quote('event', 'REVIEW SUMMARY', input.reviewSummary),
    ...input.findings.map(renderFinding),
  ];
}

function renderFinding({
  id,
  severity,
  category,
  body,
  suggestion,
  ...place
}: ReviewFixInput['findings'][number]): Part {
  const text = suggestion === null ? body : `${sanitiseText(body)}\n\nSuggestion:\n${suggestion}`;
  return quote('event', `FINDING ${id} (${severity}, ${category}) AT ${renderPlace(place)}`, text);
}
