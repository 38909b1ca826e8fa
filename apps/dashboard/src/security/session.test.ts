import { createSessions } from './session.js';

describe('createSessions', () => {
  const sessions = createSessions();
  const { id, cookie } = sessions.issue(7420);
  const [pair = ''] = cookie.split(';');

  it('issues a cookie that scripts and other sites cannot use', () => {
    expect(cookie).toMatch(/^mergexo-session-7420=\w{32}\.\w{64}; Path=\/; HttpOnly; SameSite=Strict$/);
  });

  it('recognizes its own session among other cookies', () => {
    expect(sessions.read(`a=b; mergexo-session-7420=planted; ${pair}; c`, 7420)).toBe(id);
  });

  it.each([
    ['no cookie', undefined],
    ['an empty cookie', 'mergexo-session-7420='],
    ['an id without a signature', `mergexo-session-7420=${id}`],
    ['a changed id', pair.replace(`=${id[0]}`, id[0] === '0' ? '=1' : '=0')],
    ['a shortened signature', pair.slice(0, -1)],
    ['a session of another process', createSessions().issue(7420).cookie],
    ['a session for another port', sessions.issue(7421).cookie],
  ])('rejects %s', (_title, header) => {
    expect(sessions.read(header, 7420)).toBeUndefined();
  });
});
