import { isLocked, statusOf, toFailure } from './to-failure.js';

const ASKED = { reads: false, what: 'POST /repos/acme/app/issues/1/comments' };
const refusal = (status: number, errors: unknown) =>
  Object.assign(new Error('Validation Failed'), {
    status,
    response: { headers: {}, data: { message: 'Validation Failed', errors } },
  });

describe('toFailure', () => {
  it.each([
    [
      [
        {
          resource: 'IssueComment',
          code: 'unprocessable',
          field: 'data',
          message: 'was submitted too quickly',
        },
      ],
    ],
    [['was submitted too quickly']],
  ])('reports "was submitted too quickly" as a rate limit, not as a conflict', (errors) => {
    expect(toFailure(refusal(422, errors), ASKED, 0)).toMatchObject({
      kind: 'rate-limited',
      retryAfterMs: 60_000,
    });
  });

  it.each([
    [[{ resource: 'IssueComment', code: 'missing_field', value: 'was submitted too quickly' }]],
    [['Path could not be resolved']],
    [undefined],
    ['text'],
  ])('reports any other validation error as a conflict', (errors) => {
    const failure = toFailure(refusal(422, errors), ASKED, 0);
    expect([failure.kind, statusOf(failure)]).toEqual(['conflict', 422]);
  });

  it('reports a GraphQL rate limit even though its status is 200', () => {
    const limited = refusal(200, [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }]);
    const { status: _status, ...plain } = limited;
    for (const error of [limited, plain])
      expect(toFailure(error, ASKED, 0)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 60_000 });
  });

  it('never reports an unknown outcome for a read', () => {
    const trouble = refusal(502, []);
    expect(toFailure(trouble, ASKED, 0).kind).toBe('unknown-outcome');
    expect(toFailure(trouble, { ...ASKED, reads: true }, 0).kind).toBe('unavailable');
  });

  it('has no status if GitHub did not respond', () => {
    const dropped = Object.assign(new Error('other side closed'), { status: 500 });
    expect(statusOf(toFailure(dropped, ASKED, 0))).toBeNull();
    expect(toFailure(dropped, { reads: true, what: 'GET /user' }, 0).message).toBe(
      'GitHub did not respond to GET /user: other side closed.',
    );
    const silent = Object.assign(new Error(''), {
      status: 500,
      cause: new TypeError('fetch failed', { cause: Object.assign(new Error(''), { code: 'ECONNREFUSED' }) }),
    });
    expect(toFailure(silent, { reads: true, what: 'GET /user' }, 0).message).toBe(
      'GitHub did not respond to GET /user: ECONNREFUSED.',
    );
  });

  it.each([
    [400, false, 'conflict'],
    [400, true, 'unavailable'],
    [500, false, 'unknown-outcome'],
  ])('translates status %i if reads is %s to %s', (status, reads, kind) => {
    const failure = toFailure(refusal(status, []), { ...ASKED, reads }, 0);
    expect([failure.kind, statusOf(failure)]).toEqual([kind, status]);
  });

  it.each([
    ['Unable to create comment because issue is locked.', true],
    ['lock prevents review', true],
    ['Resource not accessible by personal access token', false],
    ['the `door-lock` organization has enabled OAuth App access restrictions', false],
    ['the `lock` organization has enabled OAuth App access restrictions', false],
  ])('reads from "%s" alone that a thread is locked: %s', (message, locked) => {
    const asked = { reads: false, what: 'POST /repos/acme/door-lock/issues/1/comments' };
    const error = Object.assign(new Error(message), { status: 403, response: { headers: {}, data: {} } });
    const failure = toFailure(error, asked, 0);
    expect([failure.kind, isLocked(failure)]).toEqual(['unauthorized', locked]);
  });
});
