import type { AgentSession } from '../turns/plan.js';

export const SESSION_MODES = ['resume', 'stateless'] as const;
export type SessionMode = (typeof SESSION_MODES)[number];

export type SessionFacts = {
  mode: SessionMode;
  /** The adapter that will be asked: another one's thread means nothing to it. */
  adapter: string;
  stored: AgentSession | null;
  stateSummary: string;
};

/** `summary` is what a new conversation is told; one that goes on knows it already. */
export type SessionChoice = { threadId: string | null; summary: string | null };

export function decideSession({ mode, adapter, stored, stateSummary }: SessionFacts): SessionChoice {
  const isOurs = mode === 'resume' && stored?.adapter === adapter;
  const threadId = isOurs ? stored.threadId : null;
  return { threadId, summary: chooseSummary(threadId, stateSummary) };
}

/** Also for a conversation that was lost within a turn. */
export function chooseSummary(threadId: string | null, stateSummary: string): string | null {
  return threadId === null && stateSummary.trim() !== '' ? stateSummary : null;
}
