import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type Sessions = ReturnType<typeof createSessions>;

/**
 * Creates sessions for browsers that loaded a page. The cookie contains the session id and a signature, so
 * the dashboard stores nothing. The key is only in memory, so a restart ends all sessions.
 */
export function createSessions() {
  const key = randomBytes(32);
  const sign = (id: string): string => createHmac('sha256', key).update(id).digest('hex');
  // Browsers send cookies to all ports of a host, so two dashboards on one machine need different names.
  const nameFor = (port: number | undefined): string => `mergexo-session-${port ?? 0}`;

  return {
    issue(port: number | undefined): { id: string; cookie: string } {
      const id = randomBytes(16).toString('hex');
      const cookie = `${nameFor(port)}=${id}.${sign(id)}; Path=/; HttpOnly; SameSite=Strict`;
      return { id, cookie };
    },

    /** Returns the id of the first valid session. Another program on this host may have set further cookies. */
    read(header: string | undefined, port: number | undefined): string | undefined {
      for (const pair of (header ?? '').split(';')) {
        const [name, id = '', signature = ''] = pair.trim().split(/[=.]/);
        if (name === nameFor(port) && isEqual(signature, sign(id))) return id;
      }
      return undefined;
    },
  };
}

function isEqual(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
