import type { Agent, AgentRun, TurnContext } from '@mergexo/agents';
import { type AgentRequest, buildRepairRequest, parseAgentOutput } from '@mergexo/core/agent';

/** Runs one turn with at most one repair, as a worker does. An accepted answer includes its parsed output. */
export async function ask(agent: Agent, request: AgentRequest, context: TurnContext): Promise<AgentRun> {
  const first = read(request, await agent.runTurn(request, context));
  if (first.errors.length === 0) return first.run;
  const threadId = first.threadId ?? request.session?.thread_id ?? null;
  const repair = buildRepairRequest(request, { errors: first.errors, threadId, adapter: agent.name });
  const { run, errors } = read(request, await agent.runTurn(repair, context));
  if (errors.length > 0) throw new Error(`not repaired: ${errors.join('; ')}`);
  return run;
}

function read({ kind }: AgentRequest, run: AgentRun) {
  if (run.kind === 'failed') {
    return { run, threadId: null, errors: run.failure === 'invalid-output' ? [run.message] : [] };
  }
  const parsed = parseAgentOutput(kind, run.output);
  if (parsed.kind === 'invalid') return { run, threadId: run.threadId, errors: parsed.errors };
  return { run: { ...run, output: parsed.output }, threadId: run.threadId, errors: [] };
}
