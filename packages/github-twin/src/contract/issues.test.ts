import assert from 'node:assert/strict';
import { at, each } from '../testing/json-fields.js';
import { idOf, numberOf, untilField, useBench } from './bench.js';
import { eventually } from './client.js';

describe('the contract with GitHub: issues and labels', () => {
  const open = useBench();

  it('creates and deletes a label', async () => {
    const { call, unique } = open();
    const label = { name: unique('contract-label'), color: 'ff0000' };
    await call('POST ~/labels', label, 201);
    await call('POST ~/labels', label, 422);
    await call(`GET ~/labels/${label.name}`);
    await call(`DELETE ~/labels/${label.name}`, undefined, 204);
    await call(`GET ~/labels/${label.name}`, undefined, 404);
  });

  it('opens an issue, finds the issue by label, and edits and closes the issue', async () => {
    const bench = open();
    const { call, unique } = bench;
    const label = unique('contract');
    const issue = { title: 'Contract', body: 'text', labels: [label] };
    const number = numberOf(await call('POST ~/issues', issue, 201));
    await call('POST ~/issues', { body: 'no title' }, 422);
    const list = `GET ~/issues?labels=${label}&state=all&sort=updated&direction=desc`;
    await untilField(bench, list, { number: [number] });
    const end = { state: 'closed', state_reason: 'not_planned' };
    const { body } = await call(`PATCH ~/issues/${number}`, end);
    assert.deepEqual([at(body, 'state'), at(body, 'state_reason')], ['closed', 'not_planned']);
    await call(`DELETE ~/issues/${number}/labels/${label}`);
    await call(`POST ~/issues/${number}/labels`, { labels: [label] });
    await call(`DELETE ~/labels/${label}`, undefined, 204);
  });

  it('updates the issue when somebody comments, lists edited comments with since, and omits deleted comments', async () => {
    const { call, unique } = open();
    const opened = await call('POST ~/issues', { title: unique('Thread') }, 201);
    const issue = `~/issues/${numberOf(opened)}`;
    const since = String(at(opened.body, 'created_at'));
    assert.match(since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const comment = `~/issues/comments/${idOf(await call(`POST ${issue}/comments`, { body: 'one' }, 201))}`;
    await call(`POST ${issue}/comments`, { body: 'two' }, 201);
    await call(`POST ${issue}/comments`, { body: ' ' }, 422);
    await call(`PATCH ${comment}`, { body: 'one, edited' });
    await eventually(async () => {
      const query = `since=${since}&sort=updated&direction=desc&per_page=100`;
      const feed = await call(`GET ~/issues/comments?${query}`);
      assert.ok(each(feed.body, 'body').includes('one, edited'));
    });
    assert.equal(at((await call(`GET ${issue}`)).body, 'comments'), 2);
    await call(`DELETE ${comment}`, undefined, 204);
    await call(`GET ${comment}`, undefined, 404);
    assert.deepEqual(each((await call(`GET ${issue}/comments`)).body, 'body'), ['two']);
  });

  it('links all pages of a list', async () => {
    const { call, unique } = open();
    const labels = [unique('paged')];
    const numbers: number[] = [];
    for (const title of ['a', 'b', 'c'])
      numbers.push(numberOf(await call('POST ~/issues', { title, labels }, 201)));
    await eventually(async () => {
      const seen: unknown[] = [];
      for (let page = 1; page <= 3; page += 1) {
        const query = `labels=${labels[0]}&per_page=1&page=${page}&direction=asc`;
        const listed = await call(`GET ~/issues?${query}`);
        seen.push(...each(listed.body, 'number'));
        assert.equal(/rel="next"/.test(listed.headers.get('link') ?? ''), page < 3);
      }
      assert.deepEqual(seen, numbers);
    });
    for (const number of numbers) await call(`PATCH ~/issues/${number}`, { state: 'closed' });
  });
});
