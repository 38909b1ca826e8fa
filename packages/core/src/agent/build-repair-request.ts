import { renderRepair } from '../prompts/repair-prompts.js';
import type { AgentRequest } from './agent-request.js';

/** The errors in an answer, and the session that gave the answer. `threadId` is null if the agent keeps no session. */
export type Complaint = { errors: readonly string[]; threadId: string | null; adapter: string };

/** Requests a corrected answer in the same turn. The edits are still in the checkout, so only the answer is missing. */
export function buildRepairRequest(request: AgentRequest, complaint: Complaint): AgentRequest {
  const { adapter, threadId, errors } = complaint;
  const repair = renderRepair({ kind: request.kind, turnKey: request.turn_key, errors });
  if (threadId === null) return { ...request, prompt: `${request.prompt}\n\n${repair}` };
  const attachments = request.attachments.map((attachment) => ({ ...attachment, is_new: false }));
  return { ...request, session: { adapter, thread_id: threadId }, prompt: repair, attachments };
}
