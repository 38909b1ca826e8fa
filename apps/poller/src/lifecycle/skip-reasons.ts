/** Recorded reasons that other code looks for; every other reason is only shown. */

/** A failed check passed later. If it fails again, the failure counts again. */
export const GREEN = 'it has not failed any more';
export const MEANWHILE = 'a person had taken over';
export const CLOSED = 'the pull request was closed';
export const DELETED = 'it was deleted before it was acted on';
export const CONSUMED = 'it was part of the work before';
