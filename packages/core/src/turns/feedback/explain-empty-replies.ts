import { saysNothing } from '../says-nothing.js';

type Reply = { commentId: number; body: string };

/** Lists an error for each reply that only says "done" or thanks the reader. */
export function explainEmptyReplies(answers: {
  replies: readonly Reply[];
  general: string | null;
}): string[] {
  const texts = [
    ...answers.replies.map(({ commentId, body }) => ({ at: `the reply to comment ${commentId}`, body })),
    ...(answers.general === null ? [] : [{ at: 'general_comment', body: answers.general }]),
  ];
  return texts
    .filter(({ body }) => saysNothing(body))
    .map(({ at }) => `${at}: say what you changed and where, or answer the question`);
}
