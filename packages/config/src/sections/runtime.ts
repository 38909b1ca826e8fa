import { MERGEXO_CLI } from '@mergexo/core/basics';
import { flag, oneOf, seconds, secondsOnGitHub, wholeNumber } from '../kinds/basics.js';
import { directory } from '../kinds/paths.js';
import { key } from './section.js';

/** Below the floors GitHub's limits would stop us, or an answer that is late would be taken for lost. */
export const FLOORS = {
  pollIntervalSeconds: 5,
  visibilityWindowSeconds: 60,
  writeSpacingSeconds: 1,
} as const;

export const runtime = {
  title: 'runtime',
  about: 'How the processes run and how often they look at GitHub.',
  shape: {
    baseDir: key(directory().default('~/.local/share/mergexo'), {
      about: 'Where the database, mirrors, checkouts and logs live.',
    }),
    workerCount: key(wholeNumber(1, 64).default(2), {
      about: `Workers that \`${MERGEXO_CLI} up\` starts on this machine; each does one turn at a time.`,
    }),
    pollIntervalSeconds: key(
      secondsOnGitHub({ min: FLOORS.pollIntervalSeconds, loopbackMin: 0.05, max: 3600 }).default(30),
      { about: 'Pause between two looks at GitHub. A look that finds nothing new costs no rate limit.' },
    ),
    visibilityWindowSeconds: key(
      secondsOnGitHub({ min: FLOORS.visibilityWindowSeconds, loopbackMin: 0.1, max: 3600 }).default(120),
      {
        about:
          'How long a write that got no answer may take to appear in listings. It is sent again only if a complete listing begun after this time does not show it.',
      },
    ),
    writeSpacingSeconds: key(
      secondsOnGitHub({ min: FLOORS.writeSpacingSeconds, loopbackMin: 0, max: 60 }).default(1),
      { about: 'Least pause between two writes to GitHub; its limits on creating content ask for a second.' },
    ),
    feedbackDebounceSeconds: key(seconds(0, 3600).default(10), {
      about:
        'How long a lone comment waits for more before a turn opens. A submitted review is complete and does not wait.',
    }),
    drainGraceSeconds: key(seconds(0, 3600).default(60), {
      about: 'After a stop signal, how long running turns may go on before they are handed back.',
    }),
    enableFeedbackLoop: key(flag().default(true), {
      about:
        'Answer comments on pull requests. If off, comments are recorded and wait; MergeXO answers them once it is on again.',
    }),
    enableIssueCommentRouting: key(flag().default(true), {
      about:
        'Resume waiting work on comments on the issue, and redirect later ones to the pull request. If off, comments are recorded and wait; MergeXO acts on them once it is on again.',
    }),
    logLevel: key(oneOf(['debug', 'info', 'warn', 'error']).default('info'), {
      about: 'Least severity that is logged.',
    }),
  },
};
