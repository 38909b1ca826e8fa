import { Failure } from '@mergexo/core/basics';

/** The poller's upload functions, for tests without uploads. */
export const NO_UPLOADS = {
  list: () => ({ listed: [], omitted: 0 }),
  isReady: () => true,
  fetch: async (): Promise<never> => {
    throw new Failure('not-found', 'There are no uploads in this test.');
  },
};
