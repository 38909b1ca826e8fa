import assert from 'node:assert/strict';
import { z } from 'zod';
import { commitFile, mustGit } from '../../testing/git.js';
import { at, each } from '../../testing/json-fields.js';
import { eventually } from '../client/client.js';
import { type Case, Id } from '../client/workbench.js';
import { openPull } from './pulls.js';

const THREADS = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 10) { nodes { id isResolved comments(first: 10) { nodes { databaseId } } } } } } }`;
const RESOLVE = `mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }`;

export const reviewCases: Case[] = [
  {
    title: 'threads replies under the first comment, and resolves the thread',
    run: async (bench) => {
      const { client } = bench;
      const { number, branch, head } = await openPull(bench, 'threads');
      const params = { pull_number: number };
      const place = { path: `${branch}.txt`, commit_id: head, line: 2, side: 'RIGHT' };
      const first = await client.call('POST', '~/pulls/{pull_number}/comments', {
        params,
        body: { ...place, body: 'why?' },
        expect: 201,
      });
      const comment_id = Id.parse(first.body).id;
      const reply = await client.call('POST', '~/pulls/{pull_number}/comments/{comment_id}/replies', {
        params: { ...params, comment_id },
        body: { body: 'because' },
        expect: 201,
      });
      assert.equal(at(reply.body, 'in_reply_to_id'), comment_id);
      const again = await client.call('POST', '~/pulls/{pull_number}/comments', {
        params,
        body: { body: 'indeed', in_reply_to: comment_id },
        expect: 201,
      });
      assert.equal(at(again.body, 'in_reply_to_id'), comment_id);
      await client.call('POST', '~/pulls/{pull_number}/comments', {
        params,
        body: { ...place, line: 99, body: 'off' },
        expect: 422,
      });
      const feed = await client.call('GET', '~/pulls/comments', {
        query: { sort: 'updated', direction: 'desc', per_page: 100 },
      });
      assert.ok(each(feed.body, 'id').includes(comment_id));
      await client.call('PATCH', '~/pulls/comments/{comment_id}', {
        params: { comment_id },
        body: { body: 'why, really?' },
      });
      await client.call('GET', '~/pulls/comments/{comment_id}', { params: { comment_id } });

      const [owner, name] = client.target.repo.split('/');
      const threads = await client.graphql(THREADS, { owner, name, number });
      const thread = at(threads, 'data', 'repository', 'pullRequest', 'reviewThreads', 'nodes', 0);
      assert.deepEqual(each(at(thread, 'comments', 'nodes'), 'databaseId').length, 3);
      const resolved = await client.graphql(RESOLVE, { id: z.string().parse(at(thread, 'id')) });
      assert.equal(at(resolved, 'data', 'resolveReviewThread', 'thread', 'isResolved'), true);
      await client.call('PATCH', '~/pulls/{pull_number}', { params, body: { state: 'closed' } });
    },
  },
  {
    title: 'takes a review whole or not at all, and no verdict from the author',
    run: async (bench) => {
      const { client } = bench;
      const { number, branch } = await openPull(bench, 'review');
      const params = { pull_number: number };
      const path = `${branch}.txt`;
      const post = (body: object, expect: number) =>
        client.call('POST', '~/pulls/{pull_number}/reviews', { params, body, expect });
      const comments = [
        { path, line: 1, body: 'on the diff' },
        { path, line: 77, body: 'off the diff' },
      ];
      await post({ event: 'COMMENT', body: 'half', comments }, 422);
      await post({ event: 'APPROVE' }, 422);
      await post({ event: 'REQUEST_CHANGES', body: 'no' }, 422);
      assert.deepEqual((await client.call('GET', '~/pulls/{pull_number}/reviews', { params })).body, []);
      const whole = await post({ event: 'COMMENT', body: 'whole', comments: comments.slice(0, 1) }, 200);
      const review_id = Id.parse(whole.body).id;
      const inline = await client.call('GET', '~/pulls/{pull_number}/reviews/{review_id}/comments', {
        params: { ...params, review_id },
      });
      assert.deepEqual(each(inline.body, 'body'), ['on the diff']);
      const pending = await post({ body: 'later' }, 200);
      assert.equal(at(pending.body, 'state'), 'PENDING');
      const submitted = await client.call('POST', '~/pulls/{pull_number}/reviews/{review_id}/events', {
        params: { ...params, review_id: Id.parse(pending.body).id },
        body: { event: 'COMMENT' },
      });
      assert.equal(at(submitted.body, 'state'), 'COMMENTED');
      await client.call('PATCH', '~/pulls/{pull_number}', { params, body: { state: 'closed' } });
    },
  },
  {
    title: 'calls a comment outdated when a push touches its line',
    run: async (bench) => {
      const { client, clone } = bench;
      const { number, branch, head } = await openPull(bench, 'outdated');
      const params = { pull_number: number };
      const comment = (line: number) => {
        const body = { path: `${branch}.txt`, commit_id: head, line, side: 'RIGHT', body: `line ${line}` };
        return client.call('POST', '~/pulls/{pull_number}/comments', { params, body, expect: 201 });
      };
      await comment(2);
      await comment(4);
      await commitFile(clone, `${branch}.txt`, 'one\nchanged\nnew\nthree\nfour\nfive\n');
      await mustGit(clone, 'push', '-q', 'origin', branch);
      await eventually(async () => {
        const listed = await client.call('GET', '~/pulls/{pull_number}/comments', { params });
        assert.deepEqual(each(listed.body, 'line'), [null, 5]);
        assert.deepEqual(each(listed.body, 'original_line'), [2, 4]);
      });
      await client.call('PATCH', '~/pulls/{pull_number}', { params, body: { state: 'closed' } });
    },
  },
];
