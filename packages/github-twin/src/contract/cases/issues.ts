import assert from 'node:assert/strict';
import { at, each } from '../../testing/json-fields.js';
import { eventually } from '../client/client.js';
import { type Case, Id, Numbered } from '../client/workbench.js';

export const issueCases: Case[] = [
  {
    title: 'creates and deletes a label',
    run: async ({ client, unique }) => {
      const name = unique('contract label');
      await client.call('POST', '~/labels', { body: { name, color: 'ff0000' }, expect: 201 });
      await client.call('POST', '~/labels', { body: { name, color: 'ff0000' }, expect: 422 });
      await client.call('GET', '~/labels/{name}', { params: { name } });
      await client.call('DELETE', '~/labels/{name}', { params: { name }, expect: 204 });
      await client.call('GET', '~/labels/{name}', { params: { name }, expect: 404 });
    },
  },
  {
    title: 'opens an issue, finds it by label, edits and closes it',
    run: async ({ client, unique }) => {
      const label = unique('contract');
      const opened = await client.call('POST', '~/issues', {
        body: { title: 'Contract', body: 'text', labels: [label] },
        expect: 201,
      });
      const params = { issue_number: Numbered.parse(opened.body).number };
      await client.call('POST', '~/issues', { body: { body: 'no title' }, expect: 422 });
      await eventually(async () => {
        const listed = await client.call('GET', '~/issues', {
          query: { labels: label, state: 'all', sort: 'updated', direction: 'desc' },
        });
        assert.deepEqual(each(listed.body, 'number'), [params.issue_number]);
      });
      const closed = await client.call('PATCH', '~/issues/{issue_number}', {
        params,
        body: { state: 'closed', state_reason: 'not_planned' },
      });
      assert.deepEqual(
        [at(closed.body, 'state'), at(closed.body, 'state_reason')],
        ['closed', 'not_planned'],
      );
      await client.call('DELETE', '~/issues/{issue_number}/labels/{name}', {
        params: { ...params, name: label },
      });
      await client.call('POST', '~/issues/{issue_number}/labels', { params, body: { labels: [label] } });
      await client.call('DELETE', '~/labels/{name}', { params: { name: label }, expect: 204 });
    },
  },
  {
    title: 'keeps a thread: comments move the issue, edits come back by since, deletions vanish',
    run: async ({ client, unique }) => {
      const opened = await client.call('POST', '~/issues', {
        body: { title: unique('Thread') },
        expect: 201,
      });
      const params = { issue_number: Numbered.parse(opened.body).number };
      const since = String(at(opened.body, 'created_at'));
      assert.match(since, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const first = await client.call('POST', '~/issues/{issue_number}/comments', {
        params,
        body: { body: 'one' },
        expect: 201,
      });
      await client.call('POST', '~/issues/{issue_number}/comments', {
        params,
        body: { body: 'two' },
        expect: 201,
      });
      await client.call('POST', '~/issues/{issue_number}/comments', {
        params,
        body: { body: ' ' },
        expect: 422,
      });
      const comment_id = Id.parse(first.body).id;
      await client.call('PATCH', '~/issues/comments/{comment_id}', {
        params: { comment_id },
        body: { body: 'one, edited' },
      });
      await eventually(async () => {
        const feed = await client.call('GET', '~/issues/comments', {
          query: { since, sort: 'updated', direction: 'desc', per_page: 100 },
        });
        assert.ok(each(feed.body, 'body').includes('one, edited'));
      });
      const issue = await client.call('GET', '~/issues/{issue_number}', { params });
      assert.equal(at(issue.body, 'comments'), 2);
      await client.call('DELETE', '~/issues/comments/{comment_id}', { params: { comment_id }, expect: 204 });
      await client.call('GET', '~/issues/comments/{comment_id}', { params: { comment_id }, expect: 404 });
      const left = await client.call('GET', '~/issues/{issue_number}/comments', { params });
      assert.deepEqual(each(left.body, 'body'), ['two']);
    },
  },
  {
    title: 'pages with links that lead through the whole list',
    run: async ({ client, unique }) => {
      const label = unique('paged');
      const numbers: number[] = [];
      for (const title of ['a', 'b', 'c']) {
        const opened = await client.call('POST', '~/issues', {
          body: { title, labels: [label] },
          expect: 201,
        });
        numbers.push(Numbered.parse(opened.body).number);
      }
      await eventually(async () => {
        const seen: unknown[] = [];
        for (let page = 1; page <= 3; page += 1) {
          const query = { labels: label, per_page: 1, page, direction: 'asc' };
          const listed = await client.call('GET', '~/issues', { query });
          seen.push(...each(listed.body, 'number'));
          assert.equal(/rel="next"/.test(listed.headers.get('link') ?? ''), page < 3);
        }
        assert.deepEqual(seen, numbers);
      });
      for (const issue_number of numbers)
        await client.call('PATCH', '~/issues/{issue_number}', {
          params: { issue_number },
          body: { state: 'closed' },
        });
    },
  },
];
