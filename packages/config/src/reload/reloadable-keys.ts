/** Tables that the poller and the workers read again while they run. */
export const RELOADABLE_SECTIONS = ['limits', 'scheduler', 'notify'] as const;

/** Keys of `[repo.<id>]` that they read again. */
export const RELOADABLE_REPO_KEYS = [
  'allowedUsers',
  'operatorLogins',
  'setup',
  'requiredTests',
  'testFileRegex',
  'codingGuidelinesPath',
  'ciPolicy',
  'autoUpdate',
  'showCost',
] as const;
