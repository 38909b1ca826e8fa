import { buildCommitAuthor } from '@mergexo/core';

/** The author that a poller with the login `robot` hands to its workers. */
export const ROBOT_AUTHOR = buildCommitAuthor({ id: 2, login: 'robot' }, 'http://127.0.0.1');
