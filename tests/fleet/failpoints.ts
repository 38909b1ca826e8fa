/** Without a channel in `[notify]`, MergeXO never passes these. `tests/walks/notify-walk.test.ts` covers them. */
const OF_NOTIFICATIONS = ['poller:notify-marked', 'poller:notify-sent'];

/** Failpoints that a start does not pass. They need an existing pull request or comments. */
export const NOT_IN_STARTS: readonly string[] = [
  'poller:turn-checked',
  'poller:turn-deferred',
  'poller:redirect-planned',
  ...OF_NOTIFICATIONS,
];

/** Failpoints of a feedback turn that other suites cover. */
export const NOT_IN_FEEDBACK: readonly string[] = [
  'poller:gate-checked',
  'poller:turn-deferred',
  'poller:redirect-planned',
  // Feedback turns pass these failpoints too, but only after their posts, and `signs-crash.test.ts` covers them.
  'poller:sign-sending',
  'poller:sign-answered',
  'poller:sign-recorded',
  ...OF_NOTIFICATIONS,
];
