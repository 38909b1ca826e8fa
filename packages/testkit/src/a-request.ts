import { type AgentRequest, buildEmptyPackage, buildOutputSchema } from '@mergexo/core/agent';
import type { QuestionKind } from '@mergexo/core/turns';

/** A request like those that a worker builds. */
export function aRequest<Kind extends QuestionKind>(
  kind: Kind,
  { threadId = null, adapter = 'codex' }: { threadId?: string | null; adapter?: string } = {},
): AgentRequest & { kind: Kind } {
  return {
    protocol: 1,
    kind,
    turn_key: 'a'.repeat(64),
    attempt: 1,
    session: threadId === null ? null : { adapter, thread_id: threadId },
    prompt: 'Fix the greeting.',
    output_schema: buildOutputSchema(kind),
    attachments: [],
    turn: {
      ...buildEmptyPackage({
        repo: 'ada/engine',
        issue_number: 7,
        pr_number: null,
        branch: 'agent/bugfix/7-greeting',
        base_sha: 'b'.repeat(40),
        head_sha: 'b'.repeat(40),
        design_doc_path: null,
      }),
      issue: {
        number: 7,
        title: 'The greeting is wrong',
        body: 'It says hallo.',
        author: 'ada',
        labels: ['agent:bugfix'],
        url: 'https://github.example/ada/engine/issues/7',
        author_role: 'OWNER',
        created_at: '2026-01-02T03:04:05Z',
      },
      allowed_actions: ['edit_files', 'commit', 'mark_blocked'],
    },
  };
}

/** A valid output for the request. */
export const A_CHANGE = {
  pr_title: 'Correct the greeting',
  pr_summary: 'It now says hello.',
  commit_message: 'Correct the greeting',
  state_summary: 'The greeting is corrected.',
};
