import { failpoint } from '@mergexo/core/basics';
import { type FindSecrets, neutraliseText, type Redact } from '@mergexo/core/text';
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
export type Message = Secrecy & { text: string; references?: readonly string[] };

type Secrecy = { redact: Redact; findSecrets: FindSecrets };

/** Turns the agent's commits and edits in the slot into new commits. Cleans the message, because the agent wrote it. */
export async function collectWork(
  task: Collecting,
  message: Message,
  merged: Merged | null = null,
): Promise<Work> {
  const request = { ...buildRequest(task, message), ...(merged && { mergeParent: merged.sha }) };
  return toWork(task, hideNames(await task.slot.collect(request), message), merged);
}

/** Commits only this file, without the agent's own edits and commits. */
export async function commitDocument(
  task: Collecting,
  message: Message,
  { path, text }: { path: string; text: string },
): Promise<Work> {
  const content = message.redact(text);
  const collected = await task.slot.commitFile({ ...buildRequest(task, message), path, content });
  return toWork(task, hideNames(collected, message));
}

type Collecting = Pick<Task, 'slot' | 'startSha' | 'begun' | 'agent'>;

function buildRequest({ startSha, begun, agent }: Collecting, message: Message): CollectRequest {
  const { text, redact, findSecrets, references = [] } = message;
  const clean = (text: string): string => neutraliseText(redact(text));
  return {
    startSha,
    message: clean(text),
    cleanMessage: clean,
    findSecrets,
    credit: `MergeXO-Agent: ${agent.adapter}`,
    trailer: `MergeXO-Turn: ${begun.turnKey}`,
    references,
  };
}

/** Redacts file names, because the secret may be in the name itself. */
function hideNames(collected: Collected, { redact }: Secrecy): Collected {
  if (collected.kind !== 'secret') return collected;
  return { ...collected, files: collected.files.map((file) => ({ ...file, path: redact(file.path) })) };
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
        reason: `MergeXO cannot commit the agent's work, so nothing was pushed: ${collected.reason}`,
      };
    case 'unresolved':
    case 'escaping':
    case 'unrelated':
    case 'secret':
      return explainFaults(collected, { startSha, mergedBranch: merged?.branch ?? null });
    case 'collected': {
      failpoint('worker:commit-made');
      const { sha, bundle, commits, files } = collected;
      return { kind: 'commit', commit: { sha, bundle }, commits, files };
    }
  }
}
