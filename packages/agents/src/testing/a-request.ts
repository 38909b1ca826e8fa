import { type AgentRequest, buildOutputSchema } from '@mergexo/core/agent';
import type { TurnKind } from '@mergexo/core/turns';

/** A valid request. */
export function aRequest<Kind extends TurnKind>(kind: Kind): AgentRequest & { kind: Kind } {
  return {
    protocol: 1,
    kind,
    turn_key: 'a'.repeat(64),
    attempt: 1,
    session: null,
    prompt: 'Fix the greeting.',
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
      issue: {
        number: 7,
        title: 'The greeting is wrong',
        body: 'It says hallo.',
        author: 'ada',
        labels: ['agent:bugfix'],
        url: 'https://github.example/ada/engine/issues/7',
      },
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

/** What a well-behaved agent says to it. */
export const A_CHANGE = {
  pr_title: 'Correct the greeting',
  pr_summary: 'It now says hello.',
  commit_message: 'Correct the greeting',
  state_summary: 'The greeting is corrected.',
};
