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

/** The base that is merged into the slot's files: its commit becomes the second parent. */
export type Merged = { sha: string; branch: string };

/** `references`: trailers that name what the commits are about. */
export type Message = { text: string; redact: Redact; references?: readonly string[] };

/** Turns what the agent left in the slot into commits; the message is the agent's, so it is cleaned here. */
export async function collectWork(
  task: Collecting,
  message: Message,
  merged: Merged | null = null,
): Promise<Work> {
  const request = { ...buildRequest(task, message), ...(merged && { mergeParent: merged.sha }) };
  return toWork(task, await task.slot.collect(request), merged);
}

/** One commit with this file and nothing else: whatever the agent did in the slot is no part of it. */
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
  const clean = (words: string): string => neutraliseText(redact(words));
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
      const reason = `The agent rewrote the history in its checkout, so its work was not taken: its head does not descend from ${expected}.`;
      return { kind: 'rewritten', reason, observedSha: observed };
    }
    case 'too-large':
      return {
        kind: 'refused',
        reason: `The commits have ${collected.bytes} bytes; 20 MB is the limit.`,
      };
    case 'invalid':
      return { kind: 'refused', reason: `git refuses the commits: ${collected.reason}` };
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
