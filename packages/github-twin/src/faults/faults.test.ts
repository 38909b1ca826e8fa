import { ask, read } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

const COMMENTS = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

async function startWithIssue() {
  const twin = await startTestTwin();
  const number = await twin.as('bob').openIssue(REPO, { title: 'An issue' });
  const post = (signal?: AbortSignal) =>
    ask(twin, `POST ${AT}/issues/${number}/comments`, { body: { body: 'hello' }, ...(signal && { signal }) });
  const stored = async () =>
    each((await ask(twin, `GET ${AT}/issues/${number}/comments`)).body, 'body').length;
  return { twin, number, post, stored };
}

const outcomes = (twin: Twin) =>
  twin.history
    .list('request')
    .filter((entry) => entry.route === COMMENTS)
    .map((entry) => entry.outcome);

describe('a fault before the request is applied', () => {
  it.each([500, 502, 503])('returns %i, stores nothing, and ends after `times` requests', async (status) => {
    const { twin, post, stored } = await startWithIssue();
    const fault = twin.control.fault({ route: COMMENTS, kind: 'error', status });
    expect((await post()).status).toBe(status);
    expect(await stored()).toBe(0);
    expect((await post()).status).toBe(201);
    expect([fault.hits(), await stored()]).toEqual([1, 1]);
  });

  it('drops the connection and stores nothing', async () => {
    const { twin, post, stored } = await startWithIssue();
    twin.control.fault({ route: COMMENTS, kind: 'drop' });
    await expect(post()).rejects.toThrow('fetch failed');
    expect([await stored(), outcomes(twin)]).toEqual([0, ['dropped']]);
  });

  it('holds a request until the fault is released, then applies the request', async () => {
    const { twin, post, stored } = await startWithIssue();
    const hold = twin.control.fault({ route: COMMENTS, kind: 'hold' });
    const answer = post();
    await waitFor(() => hold.waiting() === 1);
    expect(await stored()).toBe(0);
    hold.release();
    expect((await answer).status).toBe(201);
    expect(await stored()).toBe(1);
  });

  it('never applies a held request if its client disconnected', async () => {
    const { twin, post, stored } = await startWithIssue();
    const hold = twin.control.fault({ route: COMMENTS, kind: 'hold' });
    const client = new AbortController();
    const answer = post(client.signal);
    await waitFor(() => hold.waiting() === 1);
    client.abort();
    await expect(answer).rejects.toThrow();
    await waitFor(() => outcomes(twin).includes('client-gone'));
    hold.release();
    expect(await stored()).toBe(0);
  });
});

describe('a fault after the request was applied', () => {
  it('returns 502 even though the comment exists', async () => {
    const { twin, post, stored } = await startWithIssue();
    twin.control.fault({ route: COMMENTS, kind: 'error', when: 'after' });
    expect((await post()).status).toBe(502);
    expect(await stored()).toBe(1);
  });

  it('drops the connection even though the comment exists', async () => {
    const { twin, post, stored } = await startWithIssue();
    twin.control.fault({ route: COMMENTS, kind: 'drop', when: 'after' });
    await expect(post()).rejects.toThrow('fetch failed');
    expect(await stored()).toBe(1);
  });

  it('hangs until the client disconnects, even though the comment exists', async () => {
    const { twin, post, stored } = await startWithIssue();
    const hang = twin.control.fault({ route: COMMENTS, kind: 'hang', when: 'after' });
    const client = new AbortController();
    const answer = post(client.signal);
    await waitFor(() => hang.waiting() === 1);
    client.abort();
    await expect(answer).rejects.toThrow();
    await waitFor(() => outcomes(twin).includes('client-gone'));
    expect(await stored()).toBe(1);
  });

  it('hangs until the fault is released, then sends the real response', async () => {
    const { twin, post } = await startWithIssue();
    const hang = twin.control.fault({ route: COMMENTS, kind: 'hang', when: 'after' });
    const answer = post();
    await waitFor(() => hang.waiting() === 1);
    hang.release();
    expect((await answer).status).toBe(201);
  });

  it('truncates the JSON even though the comment exists', async () => {
    const { twin, post, stored } = await startWithIssue();
    twin.control.fault({ route: COMMENTS, kind: 'truncated' });
    const answer = await post();
    expect([answer.status, answer.body, answer.text.startsWith('{')]).toEqual([201, undefined, true]);
    expect(await stored()).toBe(1);
  });

  it.each([200, 502])(
    'returns an HTML page with status %i even though the comment exists',
    async (status) => {
      const { twin, post, stored } = await startWithIssue();
      twin.control.fault({ route: COMMENTS, kind: 'html', status });
      const answer = await post();
      expect([answer.status, answer.headers.get('content-type'), answer.text.slice(0, 9)]).toEqual([
        status,
        'text/html; charset=utf-8',
        '<!DOCTYPE',
      ]);
      expect(await stored()).toBe(1);
    },
  );
});

describe('a fault that simulates a limit or an expired token', () => {
  it.each([
    [403, 7],
    [429, null],
  ] as const)(
    "returns %i with GitHub's secondary limit message and retry-after %p, and stores nothing",
    async (status, retryAfterSeconds) => {
      const { twin, post, stored } = await startWithIssue();
      twin.control.fault({ route: COMMENTS, kind: 'secondary-limit', status, retryAfterSeconds });
      const answer = await post();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([
        status,
        retryAfterSeconds && String(retryAfterSeconds),
      ]);
      expect(at(answer.body, 'message')).toContain('secondary rate limit');
      expect(await stored()).toBe(0);
    },
  );

  it('rejects a valid token as expired', async () => {
    const { twin, post, stored } = await startWithIssue();
    twin.control.fault({ user: 'alice', kind: 'expired-token' });
    expect([(await post()).status, await stored()]).toEqual([401, 0]);
  });
});

describe('the target of a fault', () => {
  it('can be one user, one repository or one path, and can skip the first requests', async () => {
    const { twin, number, post } = await startWithIssue();
    twin.control.fault({ route: COMMENTS, user: 'carol', kind: 'error' });
    twin.control.fault({ route: COMMENTS, repo: 'acme/other', kind: 'error' });
    twin.control.fault({ route: 'POST *', path: `${AT}/issues/${number + 1}/comments`, kind: 'error' });
    twin.control.fault({ route: COMMENTS, skip: 1, kind: 'error', status: 503 });
    expect([(await post()).status, (await post()).status, (await post()).status]).toEqual([201, 503, 201]);
  });

  it('must be a route that exists in the twin', async () => {
    const { twin } = await startWithIssue();
    expect(() => twin.control.fault({ route: 'GET /repos/{owner}/{repo}/nothing', kind: 'error' })).toThrow(
      'no route',
    );
  });

  it('must be a route that this kind of fault can affect', async () => {
    const { twin } = await startWithIssue();
    const repo = '/repos/{owner}/{repo}';
    for (const fault of [
      { kind: 'refuse-push', route: 'GIT fetch' },
      { kind: 'mergeable-null', route: `GET ${repo}/issues` },
      { kind: 'stale', seconds: 1, route: `GET ${repo}/issues` },
      { kind: 'shift', by: 1, route: `GET ${repo}/issues/{issue_number}` },
      { kind: 'lag', seconds: 1, route: 'POST *' },
      { kind: 'truncated', route: 'GIT *' },
    ] as const)
      expect(() => twin.control.fault(fault)).toThrow('cannot happen');
  });

  it('is never an action of a person', async () => {
    const { twin, number } = await startWithIssue();
    twin.control.fault({ kind: 'error', times: null });
    await twin.as('bob').comment(REPO, number, 'by hand');
    twin.control.clearFaults();
    expect(await read(twin, `GET ${AT}/issues/${number}`, 'comments')).toBe(1);
  });
});
