import { ask, read } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { AT, startTestTwin, startWithPull } from '../testing/test-twin.js';

describe('reactions', () => {
  it('are created once per user and content, counted, listed and removed by their author', async () => {
    const twin = await startTestTwin();
    await ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } });
    const comment = await ask(twin, `POST ${AT}/issues/1/comments`, { body: { body: 'Hi' } });
    for (const subject of [`${AT}/issues/1`, `${AT}/issues/comments/${at(comment.body, 'id')}`]) {
      const react = (as: string, content: string) =>
        ask(twin, `POST ${subject}/reactions`, { as, body: { content } });
      const before = await read(twin, `GET ${subject}`, 'updated_at');
      twin.control.advance(5_000);
      const [first, again] = [await react('alice', 'eyes'), await react('alice', 'eyes')];
      expect([first.status, again.status, at(again.body, 'id')]).toEqual([201, 200, at(first.body, 'id')]);
      expect((await react('bob', 'eyes')).status).toBe(201);
      expect((await react('bob', 'eye')).status).toBe(422);
      expect(await read(twin, `GET ${subject}`, 'reactions')).toMatchObject({
        total_count: 2,
        eyes: 2,
        rocket: 0,
      });
      expect(await read(twin, `GET ${subject}`, 'updated_at')).toBe(before);
      expect(each((await ask(twin, `GET ${subject}/reactions?content=eyes`)).body, 'content')).toHaveLength(
        2,
      );
      expect(each((await ask(twin, `GET ${subject}/reactions?content=heart`)).body, 'content')).toEqual([]);
      const remove = (as: string) => ask(twin, `DELETE ${subject}/reactions/${at(first.body, 'id')}`, { as });
      expect([(await remove('bob')).status, (await remove('alice')).status]).toEqual([403, 204]);
      expect((await remove('alice')).status).toBe(404);
    }
  });

  it('work on line comments, and only under the comment that they belong to', async () => {
    const { twin, number, head } = await startWithPull();
    const post = () =>
      ask(twin, `POST ${AT}/pulls/${number}/comments`, {
        body: { body: 'c', path: 'a.txt', line: 1, commit_id: head },
      });
    const [one, other] = [at((await post()).body, 'id'), at((await post()).body, 'id')];
    const made = await ask(twin, `POST ${AT}/pulls/comments/${one}/reactions`, {
      body: { content: 'rocket' },
    });
    expect(made.status).toBe(201);
    const path = (comment: unknown) => `${AT}/pulls/comments/${comment}/reactions/${at(made.body, 'id')}`;
    expect((await ask(twin, `DELETE ${path(other)}`)).status).toBe(404);
    expect((await ask(twin, `DELETE ${path(one)}`)).status).toBe(204);
    expect(
      (await ask(twin, `POST ${AT}/pulls/comments/999/reactions`, { body: { content: 'eyes' } })).status,
    ).toBe(404);
  });
});
