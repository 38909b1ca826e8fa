import type { AgentRequest } from './agent-request.js';

/** What was wrong, and the session that said it; null where the agent keeps none. */
export type Complaint = { errors: readonly string[]; threadId: string | null; adapter: string };

/** Asks once more for the same turn. The edits are still in the checkout; only the answer must be given again. */
export function buildRepairRequest(request: AgentRequest, complaint: Complaint): AgentRequest {
  const { adapter, threadId } = complaint;
  const repair = renderRepair(complaint.errors);
  if (threadId === null) return { ...request, prompt: `${request.prompt}\n\n${repair}` };
  return { ...request, session: { adapter, thread_id: threadId }, prompt: repair };
}

function renderRepair(errors: readonly string[]): string {
  return [
    'Your last answer could not be used. Your edits to the files are kept; do not make them again.',
    'Answer once more, completely, with one JSON value that fits the output schema. What was wrong:',
    ...errors.map((error) => `- ${error}`),
  ].join('\n');
}
