import { A_CHANGE as CHANGE } from '@mergexo/testkit';

/** A change with every key of the schema, as Codex requires. */
export const A_CHANGE = { ...CHANGE, blocked_reason: null };

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
  review_replies: [{ review_comment_id: 5, body: 'It greets in greeting.txt.' }],
  general_comment: null,
  commit_message: null,
  state_summary: 'Answered.',
  blocked_reason: null,
  flaky: null,
};
