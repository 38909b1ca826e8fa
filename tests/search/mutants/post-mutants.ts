import type { Mutant } from '../../chaos/feedback-mutants.js';

/** Deliberate bugs in posts, searches after lost answers, and the review. */
export const POSTS: readonly Mutant[] = [
  {
    name: 'a lost post counts as posted',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: ['if (facts.isSending && facts.quietMs < facts.windowMs)', "        return 'wait';"].join(
          '\n',
        ),
        replacement: ['if (facts.isSending)', "        return 'settle';"].join('\n'),
      },
    ],
  },
  {
    name: 'a found post is posted again',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: ["if (facts.found === 'ours')", "        return 'settle';"].join('\n'),
        replacement: '',
      },
    ],
  },
  {
    name: 'a rate limit counts as a refusal',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: ["if (kind === 'rate-limited')", "        return 'pause-repository';"].join('\n'),
        replacement: ["if (kind === 'rate-limited')", "        return 'refuse';"].join('\n'),
      },
    ],
  },
  {
    name: 'a failed read of a thread refuses its post',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: [
          "if (kind !== 'unauthorized' && kind !== 'not-found')",
          "        return 'pause-thread';",
        ].join('\n'),
        replacement: [
          "if (kind !== 'unauthorized' && kind !== 'not-found')",
          "        return 'refuse';",
        ].join('\n'),
      },
    ],
  },
  {
    name: 'a refused pull request is never tried again',
    edits: [
      {
        file: 'packages/core/dist/outbox/decide-post.js',
        search: "return facts.sends < MAX_OPEN_PULL_ATTEMPTS ? 'retry' : 'refuse';",
        replacement: "return 'refuse';",
      },
    ],
  },
  {
    name: 'a post is recorded only after its answer',
    edits: [
      {
        file: 'apps/poller/dist/outbox/send-action.js',
        search: 'settleAction(outbox, sending, { ...sent, ...context });',
        replacement: '',
      },
    ],
  },
  {
    name: 'two posts of one action are sent',
    edits: [
      {
        file: 'apps/poller/dist/outbox/send-action.js',
        search: 'const sent = await post.send();',
        replacement: ['await post.send();', '        const sent = await post.send();'].join('\n'),
      },
    ],
  },
  {
    name: 'a head is reviewed in every cycle',
    edits: [
      {
        file: 'apps/poller/dist/open/open-review-turns.js',
        search: "const turn = buildTurn(tools, { ...pull, kind: 'review' }, [headSha, cycle]);",
        replacement:
          "const turn = buildTurn(tools, { ...pull, kind: 'review' }, [headSha, cycle, Date.now()]);",
      },
    ],
  },
];
