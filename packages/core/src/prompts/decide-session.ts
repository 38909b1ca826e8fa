import type { AgentSession } from '../turns/plan.js';

const SESSION_MODES = ['resume', 'stateless'] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

export type SessionFacts = {
  mode: SessionMode;
  /** The adapter that runs next, which cannot continue another adapter's thread. */
  adapter: string;
  stored: AgentSession | null;
  stateSummary: string;
};

/** `summary` is null for a continued conversation, because the agent already knows the summary. */
export type SessionChoice = { threadId: string | null; summary: string | null };

export function decideSession({ mode, adapter, stored, stateSummary }: SessionFacts): SessionChoice {
  const isOurs = mode === 'resume' && stored?.adapter === adapter;
  const threadId = isOurs ? stored.threadId : null;
  return { threadId, summary: chooseSummary(threadId, stateSummary) };
}

/** Returns the summary for a new conversation. Also used if a conversation is lost during a turn. */
export function chooseSummary(threadId: string | null, stateSummary: string): string | null {
  return threadId === null && stateSummary.trim() !== '' ? stateSummary : null;
}
