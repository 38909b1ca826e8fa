import { explainEmptyReplies } from './explain-empty-replies.js';

describe('explainEmptyReplies', () => {
  it.each([
    'Done',
    'Done.',
    'Fixed!',
    'ok',
    'OK 👍',
    'Good catch, fixed.',
    'Great point, thank you!',
    '**Done**, thanks for the review.',
    'I have fixed it.',
  ])('rejects "%s"', (body) => {
    expect(explainEmptyReplies({ replies: [{ commentId: 5, body }], general: null })).toEqual([
      'the reply to comment 5: say what you changed and where, or answer the question',
    ]);
    expect(explainEmptyReplies({ replies: [], general: body })).toHaveLength(1);
  });

  it.each([
    'Yes.',
    'No, it is sorted.',
    'Done in src/a.ts:12.',
    'Fixed: the loop now stops at the end.',
    'Renamed it to `greet`.',
    'a.ts',
    '完了',
    '',
    '...',
    'done '.repeat(100),
  ])('accepts "%s"', (body) => {
    expect(explainEmptyReplies({ replies: [{ commentId: 5, body }], general: body })).toEqual([]);
  });
});
