import { type AgentRequest, buildOutputSchema } from '@mergexo/core/agent';
import type { TurnKind } from '@mergexo/core/turns';

/** A request as a worker makes it. */
export function aRequest<Kind extends TurnKind>(
  kind: Kind,
  { threadId = null, adapter = 'codex' }: { threadId?: string | null; adapter?: string } = {},
): AgentRequest & { kind: Kind } {
  return {
    protocol: 1,
    kind,
    turn_key: 'a'.repeat(64),
    attempt: 1,
    session: threadId === null ? null : { adapter, thread_id: threadId },
    prompt: 'Correct the greeting.',
    output_schema: buildOutputSchema(kind),
    turn: {
      task_context: {
        repo: 'ada/engine',
        issue_number: 7,
        pr_number: null,
        branch: 'agent/bugfix/7-greeting',
        base_sha: 'b'.repeat(40),
        head_sha: 'b'.repeat(40),
        design_doc_path: null,
      },
      issue: null,
      pull_request: null,
      review_comments: [],
      issue_comments: [],
      changed_files: [],
      new_events: [],
      check_statuses: [],
      state_summary: null,
      previous_actions: [],
      allowed_actions: ['edit_files', 'commit', 'mark_blocked'],
    },
  };
}

export const A_CHANGE = {
  pr_title: 'Correct the greeting',
  pr_summary: 'It says hello.',
  commit_message: 'Correct the greeting',
  state_summary: 'Done.',
  blocked_reason: null,
};

export const A_DESIGN = {
  title: 'A greeting',
  summary: 'How to greet.',
  touch_paths: ['src/**'],
  priority: 3,
  depends_on: [],
  estimated_size: 'S',
  design_doc_markdown: '# A greeting\n',
  state_summary: 'Designed.',
  blocked_reason: null,
};

export const A_FEEDBACK = {
  review_replies: [{ review_comment_id: 5, body: 'Done.' }],
  general_comment: null,
  commit_message: null,
  state_summary: 'Answered.',
  blocked_reason: null,
  flaky: null,
};
