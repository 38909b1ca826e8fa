/** The commit author that a poller with the login `robot` passes to its workers. */
export const ROBOT_AUTHOR = { name: 'robot', email: '2+robot@users.noreply.localhost' };
