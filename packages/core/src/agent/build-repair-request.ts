import { renderRepair } from '../prompts/repair-prompts.js';
import type { AgentRequest } from './agent-request.js';

/** What was wrong, and the session that said it; null where the agent keeps none. */
export type Complaint = { errors: readonly string[]; threadId: string | null; adapter: string };

/** Asks once more for the same turn. The edits are still in the checkout; only the answer must be given again. */
export function buildRepairRequest(request: AgentRequest, complaint: Complaint): AgentRequest {
  const { adapter, threadId, errors } = complaint;
  const repair = renderRepair({ kind: request.kind, turnKey: request.turn_key, errors });
  if (threadId === null) return { ...request, prompt: `${request.prompt}\n\n${repair}` };
  return { ...request, session: { adapter, thread_id: threadId }, prompt: repair };
}
