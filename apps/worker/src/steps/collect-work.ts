import { failpoint } from '@mergexo/core/basics';
import { neutraliseText, type Redact } from '@mergexo/core/text';
import type { ChangedFile, Collected, CollectRequest } from '@mergexo/git';
import { explainFaults, type Faulty } from './ask/explain-faults.js';
import type { Commit, Task } from './task.js';

export type Work =
  | { kind: 'commit'; commit: Commit; commits: readonly string[]; files: readonly ChangedFile[] }
  | { kind: 'empty' }
  | { kind: 'rewritten'; reason: string; observedSha: string | null }
  | { kind: 'refused'; reason: string }
  | Faulty;

/** The base commit that was merged into the slot's files. It becomes the second parent of the turn's commit. */
export type Merged = { sha: string; branch: string };

/** `references`: trailers that link to the review. */
export type Message = { text: string; redact: Redact; references?: readonly string[] };

/** Turns the agent's commits and edits in the slot into new commits. Cleans the message, because the agent wrote it. */
export async function collectWork(
  task: Collecting,
  message: Message,
  merged: Merged | null = null,
): Promise<Work> {
  const request = { ...buildRequest(task, message), ...(merged && { mergeParent: merged.sha }) };
  return toWork(task, await task.slot.collect(request), merged);
}

/** Commits only this file, without the agent's own edits and commits. */
export async function commitDocument(
  task: Collecting,
  message: Message,
  { path, text }: { path: string; text: string },
): Promise<Work> {
  const content = message.redact(text);
  return toWork(task, await task.slot.commitFile({ ...buildRequest(task, message), path, content }));
}

type Collecting = Pick<Task, 'slot' | 'startSha' | 'begun'>;

function buildRequest({ startSha, begun }: Collecting, message: Message): CollectRequest {
  const { text, redact, references = [] } = message;
  const clean = (text: string): string => neutraliseText(redact(text));
  return {
    startSha,
    message: clean(text),
    cleanMessage: clean,
    trailer: `MergeXO-Turn: ${begun.turnKey}`,
    references,
  };
}

function toWork({ startSha }: Collecting, collected: Collected, merged: Merged | null = null): Work {
  switch (collected.kind) {
    case 'empty':
      return collected;
    case 'rewritten': {
      const { expected, observed } = collected;
      const reason = `The agent rewrote the history in its checkout: its HEAD does not descend from ${expected}. MergeXO discarded the agent's work and pushed nothing.`;
      return { kind: 'rewritten', reason, observedSha: observed };
    }
    case 'too-large':
      return {
        kind: 'refused',
        reason: `The agent's commits have ${collected.bytes} bytes, more than the limit of 20 MB. Nothing was pushed.`,
      };
    case 'invalid':
      return {
        kind: 'refused',
        reason: `git rejected the agent's commits, so nothing was pushed: ${collected.reason}`,
      };
    case 'unresolved':
    case 'escaping':
    case 'unrelated':
      return explainFaults(collected, { startSha, mergedBranch: merged?.branch ?? null });
    case 'collected': {
      failpoint('worker:commit-made');
      const { sha, bundle, commits, files } = collected;
      return { kind: 'commit', commit: { sha, bundle }, commits, files };
    }
  }
}
