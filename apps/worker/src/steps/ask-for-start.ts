import { type AgentFailed, type AgentUsage, askAgent } from '@mergexo/agents';
import {
  AGENT_PROTOCOL,
  type AgentRequest,
  buildOutputSchema,
  type ChangeStartOutput,
  type DesignStartOutput,
  type PlanResult,
  renderDesignDocument,
  renderStartPrompt,
  renderTestsComplaint,
} from '@mergexo/core';
import type { Planned } from './make-plan.js';
import type { Start, StartTools } from './plan-start.js';

/** What the agent wants: edits in the slot with words around them, or a person's help. */
export type Idea = { threadId: string | null; usage: AgentUsage; stateSummary: string } & (
  | { kind: 'blocked'; reason: string }
  | {
      kind: 'work';
      result: PlanResult;
      commitMessage: string;
      document: { path: string; text: string } | null;
    }
);

type Heard = { kind: 'idea'; idea: Idea } | { kind: 'failed'; planned: Planned };

type Earlier = { threadId: string | null; complaint: string | null };

export async function askForStart(tools: StartTools, start: Start, earlier: Earlier): Promise<Heard> {
  const { repo, context, begun } = start;
  const found = tools.agents.find(repo.agent.adapter);
  if (found.kind === 'refused') return fail('infrastructure', found.reason, 5 * MINUTE);
  const question = {
    agent: found.agent,
    place: {
      cwd: start.slot.path,
      home: tools.homeOf(repo, context.issue.number),
      signal: start.signal,
      readOnlyPaths: [start.slot.mirrorPath],
    },
  };
  if (begun.turnKind === 'design_start') {
    const asked = await askAgent({
      ...question,
      request: { ...buildRequest(start, earlier), kind: 'design_start' },
    });
    return asked.kind === 'failed' ? explain(asked) : { kind: 'idea', idea: readDesign(tools, start, asked) };
  }
  if (begun.turnKind === 'bugfix_start' || begun.turnKind === 'small_job_start') {
    const asked = await askAgent({
      ...question,
      request: { ...buildRequest(start, earlier), kind: begun.turnKind },
    });
    return asked.kind === 'failed' ? explain(asked) : { kind: 'idea', idea: readChange(asked) };
  }
  return fail('infrastructure', `${begun.turnKind} is no start that this worker knows`, null);
}

function buildRequest({ begun, context, repo, startSha, baseSha }: Start, earlier: Earlier): AgentRequest {
  const { issue, comments, branch, designDocPath } = context;
  const prompt = renderStartPrompt(context, begun.turnKey, begun.attempt);
  const complaint = earlier.complaint === null ? '' : `\n\n${renderTestsComplaint(earlier.complaint)}`;
  const { threadId } = earlier;
  return {
    protocol: AGENT_PROTOCOL,
    kind: begun.turnKind,
    turn_key: begun.turnKey,
    attempt: begun.attempt,
    session: threadId === null ? null : { adapter: repo.agent.adapter, thread_id: threadId },
    prompt: prompt + complaint,
    turn: {
      task_context: {
        repo: context.repo,
        issue_number: issue.number,
        pr_number: null,
        branch,
        base_sha: baseSha,
        head_sha: startSha,
        design_doc_path: designDocPath,
      },
      issue,
      pull_request: null,
      review_comments: [],
      issue_comments: comments.map(({ createdAt, updatedAt, ...comment }) => ({
        ...comment,
        created_at: createdAt,
        updated_at: updatedAt,
      })),
      changed_files: [],
      new_events: [],
      check_statuses: [],
      state_summary: null,
      previous_actions: [],
      allowed_actions:
        context.flow === 'design_doc' ? ['mark_blocked'] : ['edit_files', 'commit', 'mark_blocked'],
    },
    output_schema: buildOutputSchema(begun.turnKind),
  };
}

type Said<Output> = { threadId: string | null; output: Output; usage: AgentUsage };

function readDesign(tools: StartTools, { context }: Start, said: Said<DesignStartOutput>): Idea {
  const { threadId, output, usage } = said;
  if (output.kind === 'blocked') return { ...blocked(output.blocked_reason), threadId, usage };
  const path = context.designDocPath ?? '';
  const { title, summary, priority } = output;
  const facts = {
    priority,
    touchPaths: output.touch_paths,
    dependsOn: output.depends_on,
    estimatedSize: output.estimated_size,
  };
  const text = renderDesignDocument({
    ...facts,
    title,
    summary,
    issueNumber: context.issue.number,
    issueUrl: context.issue.url,
    generatedAt: tools
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z'),
    markdown: output.design_doc_markdown,
  });
  return {
    kind: 'work',
    threadId,
    usage,
    stateSummary: output.state_summary,
    result: {
      kind: 'pull',
      title: `Design doc for #${context.issue.number}: ${title}`,
      summary,
      design: { path, ...facts },
    },
    commitMessage: `docs: add design for issue #${context.issue.number}`,
    document: { path, text },
  };
}

function readChange({ threadId, output, usage }: Said<ChangeStartOutput>): Idea {
  if (output.kind === 'blocked') return { ...blocked(output.blocked_reason), threadId, usage };
  return {
    kind: 'work',
    threadId,
    usage,
    stateSummary: output.state_summary,
    result: { kind: 'pull', title: output.pr_title, summary: output.pr_summary, design: null },
    commitMessage: output.commit_message,
    document: null,
  };
}

const blocked = (reason: string) => ({ kind: 'blocked' as const, reason, stateSummary: '' });

const MINUTE = 60_000;

/** An agent that is missing, logged out or overloaded is not the turn's fault. */
function explain({ failure, message, retryAfterMs }: AgentFailed): Heard {
  switch (failure) {
    case 'not-installed':
    case 'not-logged-in':
    case 'overloaded':
    case 'usage-limit':
      return fail('infrastructure', `${failure}: ${message}`, retryAfterMs ?? 5 * MINUTE);
    default:
      return fail('agent', `${failure}: ${message}`, retryAfterMs ?? null);
  }
}

function fail(cause: 'agent' | 'infrastructure', reason: string, retryAfterMs: number | null): Heard {
  return { kind: 'failed', planned: { kind: 'failed', cause, reason, retryAfterMs } };
}
