import { MERGEXO_CLI } from '@mergexo/core/basics';
import { flag, oneOf, seconds, secondsOnGitHub, wholeNumber } from '../kinds/basics.js';
import { directory } from '../kinds/paths.js';
import { key } from './section.js';

/** Minimum values for the real GitHub. Lower values would hit its rate limits, or treat a slow write as lost. */
export const FLOORS = {
  pollIntervalSeconds: 5,
  visibilityWindowSeconds: 60,
  writeSpacingSeconds: 1,
} as const;

export const runtime = {
  title: 'runtime',
  about: 'How the processes run and how often they poll GitHub.',
  shape: {
    baseDir: key(directory().optional(), {
      about: 'Directory for the database, the signing secret, mirrors, checkouts and logs.',
      absent:
        '`$XDG_DATA_HOME/mergexo` or `~/.local/share/mergexo` on Linux, `~/Library/Application Support/mergexo` on macOS',
      example: '~/.local/share/mergexo',
    }),
    workerCount: key(wholeNumber(1, 64).default(2), {
      about: `Number of workers that \`${MERGEXO_CLI} up\` starts on this machine. Each worker runs one turn at a time.`,
    }),
    pollIntervalSeconds: key(
      secondsOnGitHub({ min: FLOORS.pollIntervalSeconds, loopbackMin: 0.05, max: 3600 }).default(30),
      {
        about:
          'Maximum pause between two polls of GitHub. After activity, MergeXO polls every 5 s for two minutes. A poll that finds nothing new does not count against the rate limit.',
      },
    ),
    visibilityWindowSeconds: key(
      secondsOnGitHub({ min: FLOORS.visibilityWindowSeconds, loopbackMin: 0.1, max: 3600 }).default(120),
      {
        about:
          'How long GitHub may take to list a write to which it did not respond. MergeXO sends the write again only if a complete listing that began after this time does not contain it.',
      },
    ),
    writeSpacingSeconds: key(
      secondsOnGitHub({ min: FLOORS.writeSpacingSeconds, loopbackMin: 0, max: 60 }).default(1),
      { about: 'Minimum delay between two writes to GitHub. GitHub asks for at least one second.' },
    ),
    feedbackDebounceSeconds: key(seconds(0, 3600).default(10), {
      about:
        'How long MergeXO waits for more comments before it opens a turn. A submitted review ends the wait.',
    }),
    drainGraceSeconds: key(seconds(0, 3600).default(60), {
      about:
        'How long running turns may continue after a stop signal before the workers return them to the queue.',
    }),
    enableFeedbackLoop: key(flag().default(true), {
      about:
        'Replies to comments on pull requests. If false, MergeXO records the comments and replies to them once the key is true again.',
    }),
    enableIssueCommentRouting: key(flag().default(true), {
      about:
        'Resumes waiting work when somebody comments on the issue, and redirects later comments to the pull request. If false, MergeXO records the comments and acts on them once the key is true again.',
    }),
    agentStepsDays: key(wholeNumber(1, 3_650).default(14), {
      about: `Days after which MergeXO deletes agents’ steps: what agents read, edit, run and say. The dashboard and \`${MERGEXO_CLI} logs\` show them.`,
    }),
    agentStepsMaxMb: key(wholeNumber(1, 100_000).default(200), {
      about:
        'Maximum size of the kept steps in the database, in MiB. MergeXO deletes the oldest steps first.',
    }),
    retentionDays: key(wholeNumber(0, 3650).default(90), {
      about:
        'Days after which MergeXO deletes timeline details and the plans of merged work; 0 keeps them. MergeXO always keeps the records that it needs to reply exactly once.',
    }),
    logLevel: key(oneOf(['debug', 'info', 'warn', 'error']).default('info'), {
      about: 'Minimum severity to log.',
    }),
  },
};
