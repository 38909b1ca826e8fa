import { type AcceptanceCriterion, markImplemented, readAcceptanceCriteria } from '@mergexo/core/frontmatter';
import {
  buildHandoff,
  type Handoff,
  type ImplementationStartOutput,
  type StartContext,
} from '@mergexo/core/turns';
import type { Task } from './task.js';

const MAX_DOCUMENT = 1024 * 1024;

/** The merged design on the base branch, with its acceptance criteria. */
export type Basis = {
  path: string;
  document: string;
  handoff: Handoff;
  criteria: readonly AcceptanceCriterion[];
};

/**
 * Returns the merged design; null if the turn implements no design, or if the document no longer exists on the base
 * branch.
 */
export async function readBasis(task: Task, { design, issue }: StartContext): Promise<Basis | null> {
  if (design === null) return null;
  const { path, mergeSha, stateSummary, answeredThreads, omittedThreads } = design;
  const found = await task.slot.readCommitted({ sha: task.baseSha, path, maxBytes: MAX_DOCUMENT });
  if (found === undefined) return null;
  const document = found.toString('utf8');
  const handoff = buildHandoff({
    designDocPath: path,
    designDocument: document,
    designMergeSha: mergeSha,
    stateSummary,
    answeredThreads,
    omittedThreads,
    issueBody: issue.body,
  });
  return { path, document, handoff, criteria: readAcceptanceCriteria(document) };
}

type Acceptance = Extract<ImplementationStartOutput, { kind: 'done' }>['acceptance'];

/** Returns complaints for the agent. Every criterion needs files that prove it, and those files must exist. */
export async function checkAcceptance(
  { slot }: Pick<Task, 'slot'>,
  { criteria }: Pick<Basis, 'criteria'>,
  acceptance: Acceptance,
): Promise<string[]> {
  const known = new Set(criteria.map(({ number }) => number));
  const shown = new Set(acceptance.map(({ criterion }) => criterion));
  const files = acceptance.length === 0 ? new Set<string>() : new Set(await slot.listFiles());
  return [
    ...criteria
      .filter(({ number }) => !shown.has(number))
      .map(
        ({ number, text }) =>
          `acceptance: name the files that show criterion ${number} (${text.slice(0, 100)})`,
      ),
    ...acceptance.flatMap(({ criterion, shown_by }) => [
      ...(known.has(criterion) ? [] : [`acceptance: the design has no criterion ${criterion}`]),
      ...shown_by
        .filter((path) => !files.has(path))
        .map((path) => `acceptance: criterion ${criterion} names ${path}, which does not exist`),
    ]),
  ];
}

/** Marks the design as implemented in the same pull request. A document without frontmatter stays unchanged. */
export async function declareImplemented(
  { slot }: Pick<Task, 'slot'>,
  { path, document }: Basis,
  now: Date,
): Promise<void> {
  const present = await slot.readRegularFile(path, MAX_DOCUMENT);
  // Keeps the agent's edits to the document, but restores the document if the agent deleted it.
  const text = present.kind === 'read' ? present.content.toString('utf8') : document;
  const marked = markImplemented(text, now.toISOString().replace(/\.\d+Z$/, 'Z'));
  if (marked !== null) await slot.writeFile(path, marked);
}
