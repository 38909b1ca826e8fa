import { Failure } from '@mergexo/core/basics';

/** The uploads of a poller whose turns have none. */
export const NO_UPLOADS = {
  list: () => ({ listed: [], omitted: 0 }),
  isReady: () => true,
  fetch: async (): Promise<never> => {
    throw new Failure('not-found', 'There are no uploads in this test.');
  },
};
