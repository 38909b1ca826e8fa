import { ask } from '../../testing/ask.js';
import { at } from '../../testing/json-fields.js';
import { AT, moveRefBehind, REPO, startWithPull, type Twin } from '../../testing/test-twin.js';

async function patch(twin: Twin, number: number, body: object, where = 'pulls') {
  const answer = await ask(twin, `PATCH ${AT}/${where}/${number}`, { body });
  return [answer.status, at(answer.body, 'errors', 0, 'message')];
}

const MOVED = 'state cannot be changed. The topic branch was force-pushed or recreated.';

describe('reopening a pull request', () => {
  it.each(['pulls', 'issues'])(
    'through the %s route is refused after a force push, and works after a fast-forward push',
    async (where) => {
      const { twin, head, number } = await startWithPull();
      await twin.as('bob').close(REPO, number);
      await twin.as('bob').forcePush(REPO, 'topic', { 'b.txt': 'b\n' });
      expect(await patch(twin, number, { state: 'open' }, where)).toEqual([422, MOVED]);
      await moveRefBehind(twin, 'refs/heads/topic', head);
      const next = await twin.as('bob').pushFiles(REPO, 'topic', { 'c.txt': 'c\n' });
      expect(await patch(twin, number, { state: 'open' }, where)).toEqual([200, undefined]);
      const reopened = await ask(twin, `GET ${AT}/pulls/${number}`);
      expect([at(reopened.body, 'state'), at(reopened.body, 'head', 'sha')]).toEqual(['open', next]);
    },
  );

  it('is refused if the branch is missing, has no new commits, or has another open pull request', async () => {
    const { twin, head, number } = await startWithPull();
    await twin.as('bob').deleteBranch(REPO, 'topic');
    const reopen = () => patch(twin, number, { state: 'open' });
    expect(await reopen()).toEqual([422, 'state cannot be changed. The topic branch has been deleted.']);
    await moveRefBehind(twin, 'refs/heads/topic', head);
    const other = await twin.as('bob').openPull(REPO, { title: 'Again', head: 'topic' });
    expect(await reopen()).toEqual([
      422,
      'state cannot be changed. There is already an open pull request from topic to main.',
    ]);
    await twin.as('alice').merge(REPO, other);
    expect(await reopen()).toEqual([
      422,
      'state cannot be changed. There are no new commits on the topic branch.',
    ]);
    expect((await patch(twin, other, { state: 'open' }))[0]).toBe(422);
  });
});

describe('an edit that changes nothing', () => {
  it.each(['pulls', 'issues'])('through the %s route does not change updated_at', async (where) => {
    const { twin, number } = await startWithPull();
    const updated = async () => at((await ask(twin, `GET ${AT}/pulls/${number}`)).body, 'updated_at');
    const before = await updated();
    twin.control.advance(5_000);
    await patch(twin, number, { title: 'T', state: 'open' }, where);
    expect(await updated()).toBe(before);
    await patch(twin, number, { title: 'U' }, where);
    expect(await updated()).not.toBe(before);
  });
});
