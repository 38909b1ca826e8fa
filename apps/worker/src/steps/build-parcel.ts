import type { PlanParcel, PlanResult, Redact } from '@mergexo/core';
import type { Commit, Task } from './task.js';

/** What the agent wants to be remembered for the next turn. */
export type Words = { threadId: string | null; stateSummary: string };

type Parts = { words: Words; result: PlanResult; commit: Commit | null };

/** The plan as it is frozen: without any secret that the agent may have repeated, and within the sizes of a plan. */
export function buildParcel(
  redact: Redact,
  { repo, branch, startSha, meter }: Pick<Task, 'repo' | 'branch' | 'startSha' | 'meter'>,
  { words, result, commit }: Parts,
): PlanParcel {
  const { threadId, stateSummary } = words;
  return {
    plan: {
      version: 1,
      session: { adapter: repo.agent.adapter, threadId: threadId && redact(threadId) },
      commit: commit && { branch, startSha, sha: commit.sha },
      result: redactResult(result, redact),
      stateSummary: clean(redact, stateSummary),
      usage: meter.total(),
    },
    bundle: commit?.bundle?.toString('base64') ?? null,
  };
}

function redactResult(result: PlanResult, redact: Redact): PlanResult {
  const text = (value: string): string => clean(redact, value);
  switch (result.kind) {
    case 'pull': {
      const { design } = result;
      return {
        ...result,
        title: clean(redact, result.title, MAX_TITLE),
        summary: text(result.summary),
        design: design && { ...design, touchPaths: design.touchPaths.map((path) => redact(path)) },
      };
    }
    case 'answer':
      return {
        ...result,
        replies: result.replies.map((reply) => ({ ...reply, body: text(reply.body) })),
        general: result.general && text(result.general),
      };
    case 'block':
    case 'wait':
      return { ...result, reason: text(result.reason) };
  }
}

const MAX_TEXT = 64_000;
const MAX_TITLE = 300;

/** Agents count code points, plans count UTF-16 units, and a redacted text may be longer than it was. */
function clean(redact: Redact, text: string, max = MAX_TEXT): string {
  const whole = redact(text);
  return whole.length <= max ? whole : whole.slice(0, max).replace(/[\uD800-\uDBFF]$/, '');
}
