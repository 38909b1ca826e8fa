import { ask, read } from '../../testing/ask.js';
import { at, each } from '../../testing/json-fields.js';
import { AT, REPO, startTestTwin, type Twin } from '../../testing/test-twin.js';

const LINES = ['one', 'two', 'three', 'four', 'five'];

async function startWithPull(): Promise<{ twin: Twin; number: number }> {
  const twin = await startTestTwin();
  await twin.as('bob').pushFiles(REPO, 'topic', { 'src/list.txt': `${['zero', ...LINES].join('\n')}\n` });
  return { twin, number: await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' }) };
}

const commentOn = (line: number, extra: object = {}) => ({
  path: 'src/list.txt',
  line,
  body: `on ${line}`,
  ...extra,
});

describe('reviews', () => {
  it('fail completely if one line is not in the diff', async () => {
    const { twin, number } = await startWithPull();
    const review = { event: 'COMMENT', comments: [commentOn(1), commentOn(60)] };
    const refused = await ask(twin, `POST ${AT}/pulls/${number}/reviews`, { body: review });
    expect([refused.status, at(refused.body, 'errors')]).toEqual([422, ['Line could not be resolved']]);
    expect(await read(twin, `GET ${AT}/pulls/${number}/reviews`)).toEqual([]);
    expect(await read(twin, `GET ${AT}/pulls/${number}/comments`)).toEqual([]);
  });

  it('cannot approve their author’s own pull request, and clear the request for a review', async () => {
    const { twin, number } = await startWithPull();
    const submit = async (as: string, body: object) =>
      (await ask(twin, `POST ${AT}/pulls/${number}/reviews`, { as, body })).status;
    expect([
      await submit('bob', { event: 'APPROVE' }),
      await submit('bob', { event: 'REQUEST_CHANGES', body: 'x' }),
    ]).toEqual([422, 422]);
    const reviewers = `${AT}/pulls/${number}/requested_reviewers`;
    expect((await ask(twin, `POST ${reviewers}`, { body: { reviewers: ['bob'] } })).status).toBe(422);
    await ask(twin, `POST ${reviewers}`, { as: 'bob', body: { reviewers: ['alice', 'carol'] } });
    expect(await submit('alice', { event: 'REQUEST_CHANGES' })).toBe(422);
    expect(await submit('alice', { event: 'REQUEST_CHANGES', body: 'no' })).toBe(200);
    expect(each(await read(twin, `GET ${reviewers}`, 'users'), 'login')).toEqual(['carol']);
  });

  it('are hidden while pending, and visible to everyone when submitted', async () => {
    const { twin, number } = await startWithPull();
    const at1 = `${AT}/pulls/${number}`;
    const pending = await ask(twin, `POST ${at1}/reviews`, { body: { comments: [commentOn(1)] } });
    expect((await ask(twin, `POST ${at1}/reviews`, { body: {} })).status).toBe(422);
    const seen = async (as: string) => [
      each((await ask(twin, `GET ${at1}/reviews`, { as })).body, 'state'),
      each((await ask(twin, `GET ${at1}/comments`, { as })).body, 'body'),
    ];
    expect([await seen('alice'), await seen('bob')]).toEqual([
      [['PENDING'], ['on 1']],
      [[], []],
    ]);
    await ask(twin, `POST ${at1}/reviews/${at(pending.body, 'id')}/events`, { body: { event: 'APPROVE' } });
    expect(await seen('bob')).toEqual([['APPROVED'], ['on 1']]);
  });

  it('prevent other reviews and comments by their author, and only those, while they are pending', async () => {
    const { twin, number } = await startWithPull();
    const at1 = `${AT}/pulls/${number}`;
    const first = await twin.as('bob').reviewComment(REPO, number, commentOn(1));
    await ask(twin, `POST ${at1}/reviews`, { body: { comments: [commentOn(2)] } });
    const post = async (below: string, body: object) =>
      at((await ask(twin, `POST ${at1}${below}`, { body })).body, 'errors', 0);
    const commit_id = await read(twin, `GET ${at1}`, 'head', 'sha');
    expect(await post('/reviews', { event: 'COMMENT', body: 'x' })).toBe(
      'User can only have one pending review per pull request',
    );
    const refused = {
      resource: 'PullRequestReview',
      code: 'custom',
      field: 'user_id',
      message: 'user_id can only have one pending review per pull request',
    };
    expect([
      await post('/comments', { ...commentOn(1), commit_id }),
      await post(`/comments/${first}/replies`, { body: 'x' }),
    ]).toEqual([refused, refused]);
    await twin.as('bob').reply(REPO, first, 'so');
  });

  it('are counted only for their author while they are pending, and update the pull request when submitted', async () => {
    const { twin, number } = await startWithPull();
    const at1 = `${AT}/pulls/${number}`;
    const pending = await ask(twin, `POST ${at1}/reviews`, { body: { comments: [commentOn(1)] } });
    const count = async (as: string) => at((await ask(twin, `GET ${at1}`, { as })).body, 'review_comments');
    expect([await count('bob'), await count('alice')]).toEqual([0, 1]);
    twin.control.advance(60_000);
    const submitted = await ask(twin, `POST ${at1}/reviews/${at(pending.body, 'id')}/events`, {
      body: { event: 'COMMENT' },
    });
    const [comment] = [(await ask(twin, `GET ${AT}/pulls/comments`, { as: 'bob' })).body];
    expect([await count('bob'), at(comment, 0, 'updated_at')]).toEqual([
      1,
      at(submitted.body, 'submitted_at'),
    ]);
    expect(at(comment, 0, 'created_at')).not.toBe(at(comment, 0, 'updated_at'));
  });

  it('can be dismissed if they approve or request changes', async () => {
    const { twin, number } = await startWithPull();
    const verdict = await twin.as('alice').submitReview(REPO, number, { event: 'APPROVE' });
    const remark = await twin.as('alice').submitReview(REPO, number, { body: 'by the way' });
    const dismiss = async (id: number) => {
      const answer = await ask(twin, `PUT ${AT}/pulls/${number}/reviews/${id}/dismissals`, {
        as: 'bob',
        body: { message: 'old' },
      });
      return [answer.status, at(answer.body, 'state')];
    };
    expect([await dismiss(verdict), await dismiss(remark)]).toEqual([
      [200, 'DISMISSED'],
      [422, undefined],
    ]);
  });

  it('change updated_at of the pull request unless reviewsMovePull is off', async () => {
    const { twin, number } = await startWithPull();
    const updated = () => read(twin, `GET ${AT}/pulls/${number}`, 'updated_at');
    const first = await updated();
    twin.control.advance(2_000);
    await twin.as('alice').submitReview(REPO, number, { body: 'a' });
    const second = await updated();
    twin.control.set({ reviewsMovePull: false });
    twin.control.advance(2_000);
    await twin.as('alice').submitReview(REPO, number, { body: 'b' });
    expect([first === second, (await updated()) === second]).toEqual([false, true]);
  });
});

describe('review comments', () => {
  it('each have their own review, and replies refer to the first comment of the thread', async () => {
    const { twin, number } = await startWithPull();
    const first = await twin.as('alice').reviewComment(REPO, number, commentOn(1));
    const reply = await twin.as('bob').reply(REPO, first, 'because');
    expect(each(await read(twin, `GET ${AT}/pulls/${number}/reviews`), 'state')).toEqual([
      'COMMENTED',
      'COMMENTED',
    ]);
    const toReply = await ask(twin, `POST ${AT}/pulls/${number}/comments/${reply}/replies`, {
      body: { body: 'x' },
    });
    const elsewhere = await ask(twin, `POST ${AT}/pulls/${number}/comments/999/replies`, {
      body: { body: 'x' },
    });
    expect([toReply.status, elsewhere.status]).toEqual([422, 404]);
  });

  it('follow their line through later pushes until a push changes the line', async () => {
    const { twin, number } = await startWithPull();
    await twin.as('alice').reviewComment(REPO, number, commentOn(1));
    await twin.as('alice').reviewComment(REPO, number, commentOn(2, { side: 'LEFT' }));
    const fetchLines = async () => each(await read(twin, `GET ${AT}/pulls/comments`), 'line');
    await twin
      .as('bob')
      .pushFiles(REPO, 'topic', { 'src/list.txt': `${['new', 'zero', ...LINES].join('\n')}\n` });
    expect(await fetchLines()).toEqual([2, 2]);
    await twin
      .as('bob')
      .pushFiles(REPO, 'topic', { 'src/list.txt': `${['new', 'nil', ...LINES].join('\n')}\n` });
    expect(await fetchLines()).toEqual([null, 2]);
    const [outdated] = [(await ask(twin, `GET ${AT}/pulls/comments`)).body];
    expect([
      at(outdated, 0, 'position'),
      at(outdated, 0, 'original_line'),
      at(outdated, 0, 'commit_id') === at(outdated, 0, 'original_commit_id'),
    ]).toEqual([null, 1, true]);
    await twin.as('bob').pushFiles(REPO, 'topic', { 'src/list.txt': null });
    expect(await fetchLines()).toEqual([null, 2]);
  });

  it('remain and accept replies after the first comment of their thread was deleted', async () => {
    const { twin, number } = await startWithPull();
    const first = await twin.as('alice').reviewComment(REPO, number, commentOn(1));
    const second = await twin.as('bob').reply(REPO, first, 'because');
    await twin.as('alice').deleteReviewComment(REPO, first);
    const reply = async (id: number) => {
      const path = `${AT}/pulls/${number}/comments/${id}/replies`;
      const answer = await ask(twin, `POST ${path}`, { body: { body: 'x' } });
      return [answer.status, at(answer.body, 'in_reply_to_id')];
    };
    expect([await reply(first), await reply(second)]).toEqual([
      [404, undefined],
      [201, first],
    ]);
    expect(each(await read(twin, `GET ${AT}/pulls/${number}/comments`), 'in_reply_to_id')).toEqual([
      first,
      first,
    ]);
    expect((await ask(twin, `GET ${AT}/pulls/comments/${first}`)).status).toBe(404);
  });

  it('are replies if in_reply_to names a comment, regardless of other fields', async () => {
    const { twin, number } = await startWithPull();
    const first = await twin.as('alice').reviewComment(REPO, number, commentOn(1));
    const path = `POST ${AT}/pulls/${number}/comments`;
    const send = async (body: object) => {
      const answer = await ask(twin, path, { body });
      return [answer.status, at(answer.body, 'in_reply_to_id'), at(answer.body, 'line')];
    };
    expect(await send({ body: 'because', in_reply_to: first })).toEqual([201, first, 1]);
    const ignored = { commit_id: 'b'.repeat(40), path: 'no/such/file', line: 99, side: 'LEFT' };
    expect(await send({ body: 'also', in_reply_to: first, ...ignored })).toEqual([201, first, 1]);
    expect((await send({ in_reply_to: first }))[0]).toBe(422);
    expect((await send({ body: 'x', in_reply_to: 'first' }))[0]).toBe(422);
    expect((await send({ body: 'x', in_reply_to: 999_999 }))[0]).toBe(404);
    expect((await send({ body: 'x' }))[0]).toBe(422);
  });

  it('are accepted only on lines of the diff', async () => {
    const { twin, number } = await startWithPull();
    const commit_id = await read(twin, `GET ${AT}/pulls/${number}`, 'head', 'sha');
    const post = async (body: object) => {
      const answer = await ask(twin, `POST ${AT}/pulls/${number}/comments`, {
        body: { path: 'src/list.txt', commit_id, body: 'x', ...body },
      });
      return [answer.status, at(answer.body, 'line'), at(answer.body, 'position')];
    };
    expect(await post({ line: 3 })).toEqual([201, 3, 3]);
    expect(
      [
        await post({ line: 1, path: 'README.md' }),
        await post({}),
        await post({ line: 1, commit_id: 'b'.repeat(40) }),
      ].map(([status]) => status),
    ).toEqual([422, 422, 422]);
  });
});
