import { failpoint, neutraliseText, type Redact } from '@mergexo/core';
import type { ChangedFile, Collected, CollectRequest, Conflict } from '@mergexo/git';
import type { Commit, Task } from './task.js';

export type Work =
  | { kind: 'commit'; commit: Commit; commits: readonly string[]; files: readonly ChangedFile[] }
  | { kind: 'empty' }
  | { kind: 'rewritten'; reason: string; observedSha: string | null }
  | { kind: 'refused'; reason: string };

/** The base is merged in the slot's files, and they are not in order yet. */
export type Unresolved = { kind: 'unresolved'; files: readonly Conflict[] };

/** `references`: trailers that name what the commits are about. */
export type Message = { text: string; redact: Redact; references?: readonly string[] };

/** Turns what the agent left in the slot into commits; the message is the agent's, so it is cleaned here. */
export async function collectWork(task: Collecting, message: Message): Promise<Work> {
  return toWork(await task.slot.collect(buildRequest(task, message)));
}

/** The same as the merge of this commit into the branch. */
export async function collectMerge(
  task: Collecting,
  message: Message,
  mergeParent: string,
): Promise<Work | Unresolved> {
  const collected = await task.slot.collect({ ...buildRequest(task, message), mergeParent });
  return collected.kind === 'unresolved' ? collected : toWork(collected);
}

/** One commit with this file and nothing else: whatever the agent did in the slot is no part of it. */
export async function commitDocument(
  task: Collecting,
  message: Message,
  { path, text }: { path: string; text: string },
): Promise<Work> {
  const content = message.redact(text);
  return toWork(await task.slot.commitFile({ ...buildRequest(task, message), path, content }));
}

type Collecting = Pick<Task, 'slot' | 'startSha' | 'begun'>;

function buildRequest({ startSha, begun }: Collecting, message: Message): CollectRequest {
  const { text, redact, references = [] } = message;
  return {
    startSha,
    message: neutraliseText(redact(text)),
    trailer: `MergeXO-Turn: ${begun.turnKey}`,
    references,
  };
}

function toWork(collected: Collected): Work {
  switch (collected.kind) {
    case 'empty':
      return collected;
    case 'rewritten': {
      const { expected, observed } = collected;
      const reason = `The agent rewrote the history of the branch. Expected a descendant of ${expected}, found ${observed ?? 'no head at all'}.`;
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
      return { kind: 'refused', reason: 'Conflicts with the base branch are left in the files.' };
    case 'collected': {
      failpoint('worker:commit-made');
      const { sha, bundle, commits, files } = collected;
      return { kind: 'commit', commit: { sha, bundle }, commits, files };
    }
  }
}
