import { ACCEPTANCE_HEADINGS } from '../../frontmatter/read-acceptance-criteria.js';
import { readSection, readTouchPaths, splitDocument } from '../../prompts/read-document.js';
import { sanitiseText } from '../../sanitise/sanitise-text.js';

const MAX_THREADS = 50;
const MAX_WORDS = 1_000;
const MAX_DOCUMENT = 200_000;

/** A thread of the design's review that was answered; what was said in between stays behind. */
export type AnsweredThread = {
  path: string | null;
  line: number | null;
  author: string;
  /** The first comment of the thread. */
  asked: string;
  /** The last answer to it. */
  answered: string;
};

export type HandoffFacts = {
  designDocPath: string;
  /** As it was merged. */
  designDocument: string;
  designMergeSha: string;
  /** What the design's last turn noted. */
  stateSummary: string | null;
  answeredThreads: readonly AnsweredThread[];
  /** Its acceptance criteria hold where the document names none. */
  issueBody: string;
};

export type Decision = { about: string; text: string };

/** All that an implementation is told of the design: what was agreed, not how. */
export type Handoff = {
  path: string;
  mergeSha: string;
  document: string;
  decisions: readonly Decision[];
  nonGoals: string | null;
  acceptanceCriteria: string | null;
  touchPaths: readonly string[];
};

const NON_GOALS = ['non goals', 'nongoals', 'out of scope', 'not in scope'];

export function buildHandoff(facts: HandoffFacts): Handoff {
  const { frontmatter, body } = splitDocument(facts.designDocument);
  return {
    path: facts.designDocPath,
    mergeSha: facts.designMergeSha,
    document: cut(body, MAX_DOCUMENT),
    decisions: listDecisions(facts),
    nonGoals: readSection(body, NON_GOALS),
    acceptanceCriteria:
      readSection(body, ACCEPTANCE_HEADINGS) ??
      readSection(splitDocument(facts.issueBody).body, ACCEPTANCE_HEADINGS),
    touchPaths: readTouchPaths(frontmatter),
  };
}

function listDecisions({ stateSummary, answeredThreads }: HandoffFacts): Decision[] {
  const summary = stateSummary?.trim() ?? '';
  // The newest come last and replace older ones, so they are the ones to keep.
  const threads = answeredThreads.slice(-MAX_THREADS);
  return [
    ...(summary === '' ? [] : [{ about: 'SUMMARY OF THE DESIGN', text: summary }]),
    ...threads.map(({ path, line, author, asked, answered }) => ({
      about: `DECISION${path === null ? '' : ` AT ${path}${line === null ? '' : `:${line}`}`}`,
      text: `${author} asked: ${clean(asked)}\n\nAgreed: ${clean(answered)}`,
    })),
  ];
}

/** Made clean apart: a comment left open in the question must not hide the answer. */
function clean(words: string): string {
  return sanitiseText(cut(words.trim(), MAX_WORDS));
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)} [${text.length - max} more characters]`;
}
