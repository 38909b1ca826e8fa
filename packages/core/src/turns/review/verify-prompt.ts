import { list } from '../../prompts/fence.js';
import { type Part, quote } from '../../prompts/part.js';
import { renderPlace } from '../../prompts/render-threads.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import { renderFiles } from '../feedback/feedback-prompts.js';
import { type Reviewed, renderPlaceOfWork, renderTexts } from './reviewed-pull.js';

/** A finding that would block the merge. From the review, the second agent gets only its place and text. */
export type Suspect = {
  /** 1-based number in this question. */
  id: number;
  path: string;
  startLine: number | null;
  line: number | null;
  body: string;
};

export type VerifyInput = Reviewed & { changedFiles: readonly string[]; suspects: readonly Suspect[] };

/** Renders the question to a second agent: are the findings that would block the merge true? */
export function renderReviewVerify(input: VerifyInput, frame: Frame): Part[] {
  const task = [
    `Read the change: git diff ${input.baseSha}...${input.headSha}. Read the code around it too. Do not edit files.`,
    'Check each finding below against the code, as if nobody had checked it before. The findings may be wrong.',
    'status: confirmed if the code has the problem and this change causes it; refuted if the code does not have the problem, or had it before this change.',
    'evidence: the path and line, or a quote from the code, that proves the status.',
    'Give exactly one answer per finding, with its id.',
  ];
  return [
    renderPlaceOfWork(input),
    `A review of the pull request reported problems that would block the merge. Verify them.\n${list(task)}`,
    ...renderSystemBase('review_verify', frame),
    ...input.suspects.map(({ id, body, ...place }) =>
      quote('event', `FINDING ${id} AT ${renderPlace(place)}`, body),
    ),
    ...renderTexts(input),
    ...renderFiles(input.changedFiles),
  ];
}
