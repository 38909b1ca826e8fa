import { ACCEPTANCE_HEADINGS } from '../../frontmatter/read-acceptance-criteria.js';
import { parseSection, parseTouchPaths, splitDocument } from '../../prompts/parse-document.js';
import { sanitiseText } from '../../sanitise/sanitise-text.js';

const MAX_THREADS = 50;
const MAX_WORDS = 1_000;
const MAX_DOCUMENT = 200_000;

/** An answered thread of the design review. Comments between the first comment and the last answer are left out. */
export type AnsweredThread = {
  path: string | null;
  line: number | null;
  author: string;
  /** The first comment of the thread. */
  asked: string;
  /** The last answer in the thread. */
  answered: string;
};

export type DesignThreads = {
  answeredThreads: AnsweredThread[];
  /** Number of earlier threads that are not in `answeredThreads`. */
  omittedThreads: number;
};

export type HandoffFacts = DesignThreads & {
  designDocPath: string;
  /** The merged text of the document. */
  designDocument: string;
  designMergeSha: string;
  /** The summary that the design's last turn wrote. */
  stateSummary: string | null;
  /** Source of the acceptance criteria if the document has none. */
  issueBody: string;
};

export type Decision = { about: string; text: string };

/** The implementation's view of the design: the decisions, without the discussion. */
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

/** Keeps the last threads, because they are the newest and replace older decisions. */
export function keepNewestThreads(threads: readonly AnsweredThread[]): DesignThreads {
  const omittedThreads = Math.max(0, threads.length - MAX_THREADS);
  return { answeredThreads: threads.slice(omittedThreads), omittedThreads };
}

export function buildHandoff(facts: HandoffFacts): Handoff {
  const { frontmatter, body } = splitDocument(facts.designDocument);
  return {
    path: facts.designDocPath,
    mergeSha: facts.designMergeSha,
    document: cut(body, MAX_DOCUMENT),
    decisions: listDecisions(facts),
    nonGoals: parseSection(body, NON_GOALS),
    acceptanceCriteria:
      parseSection(body, ACCEPTANCE_HEADINGS) ??
      parseSection(splitDocument(facts.issueBody).body, ACCEPTANCE_HEADINGS),
    touchPaths: parseTouchPaths(frontmatter),
  };
}

function listDecisions({ stateSummary, answeredThreads, omittedThreads }: HandoffFacts): Decision[] {
  const summary = stateSummary?.trim() ?? '';
  const note = `${omittedThreads} earlier answers are left out. The design document contains their result.`;
  return [
    ...(summary === '' ? [] : [{ about: 'DESIGN SUMMARY', text: summary }]),
    ...(omittedThreads === 0 ? [] : [{ about: 'EARLIER DECISIONS', text: note }]),
    ...answeredThreads.map(({ path, line, author, asked, answered }) => ({
      about: `DECISION${path === null ? '' : ` AT ${path}${line === null ? '' : `:${line}`}`}`,
      text: `${author} asked: ${clean(asked)}\n\nAnswer: ${clean(answered)}`,
    })),
  ];
}

/** Sanitises each text separately, because an unclosed HTML comment in the question must not hide the answer. */
function clean(words: string): string {
  return sanitiseText(cut(words.trim(), MAX_WORDS));
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max)} [${text.length - max} more characters]`;
}
