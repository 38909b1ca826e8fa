import assert from 'node:assert/strict';
import { z } from 'zod';
import { commitFile, mustGit } from '../testing/git.js';
import { at, each } from '../testing/json-fields.js';
import { idOf, openPull, untilField, useBench } from './bench.js';

const THREADS = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 10) { nodes { id isResolved comments(first: 10) { nodes { databaseId } } } } } } }`;
const RESOLVE = `mutation($id: ID!) { resolveReviewThread(input: { threadId: $id }) { thread { isResolved } } }`;

describe('the contract with GitHub: reviews', () => {
  const open = useBench();

  it('adds replies to the thread of the first comment, and resolves the thread', async () => {
    const bench = open();
    const { call, client } = bench;
    const pull = await openPull(bench, 'threads');
    const place = { path: `${pull.branch}.txt`, commit_id: pull.head, line: 2, side: 'RIGHT' };
    const post = (body: object, expect = 201) => call(`POST ${pull.at}/comments`, body, expect);
    const id = idOf(await post({ ...place, body: 'why?' }));
    const reply = await call(`POST ${pull.at}/comments/${id}/replies`, { body: 'because' }, 201);
    const again = await post({ body: 'indeed', in_reply_to: id });
    assert.deepEqual([at(reply.body, 'in_reply_to_id'), at(again.body, 'in_reply_to_id')], [id, id]);
    await post({ ...place, line: 99, body: 'off' }, 422);
    const feed = await call('GET ~/pulls/comments?sort=updated&direction=desc&per_page=100');
    assert.ok(each(feed.body, 'id').includes(id));
    await call(`PATCH ~/pulls/comments/${id}`, { body: 'why, really?' });
    await call(`GET ~/pulls/comments/${id}`);

    const [owner, name] = client.target.repo.split('/');
    const threads = await client.graphql(THREADS, { owner, name, number: pull.number });
    const thread = at(threads, 'data', 'repository', 'pullRequest', 'reviewThreads', 'nodes', 0);
    assert.deepEqual(each(at(thread, 'comments', 'nodes'), 'databaseId').length, 3);
    const resolved = await client.graphql(RESOLVE, { id: z.string().parse(at(thread, 'id')) });
    assert.equal(at(resolved, 'data', 'resolveReviewThread', 'thread', 'isResolved'), true);
    await pull.close();
  });

  it('stores a review completely or not at all, and rejects an approval by the author', async () => {
    const bench = open();
    const { call } = bench;
    const { at: pull, branch, close } = await openPull(bench, 'review');
    const path = `${branch}.txt`;
    const post = (body: object, expect = 200) => call(`POST ${pull}/reviews`, body, expect);
    const comments = [
      { path, line: 1, body: 'on the diff' },
      { path, line: 77, body: 'off the diff' },
    ];
    await post({ event: 'COMMENT', body: 'half', comments }, 422);
    await post({ event: 'APPROVE' }, 422);
    await post({ event: 'REQUEST_CHANGES', body: 'no' }, 422);
    assert.deepEqual((await call(`GET ${pull}/reviews`)).body, []);
    const id = idOf(await post({ event: 'COMMENT', body: 'whole', comments: comments.slice(0, 1) }));
    await untilField(bench, `GET ${pull}/reviews/${id}/comments`, { body: ['on the diff'] });
    const pending = await post({ body: 'later' });
    assert.equal(at(pending.body, 'state'), 'PENDING');
    const submitted = await call(`POST ${pull}/reviews/${idOf(pending)}/events`, { event: 'COMMENT' });
    assert.equal(at(submitted.body, 'state'), 'COMMENTED');
    await close();
  });

  it('marks a comment as outdated when a push changes its line', async () => {
    const bench = open();
    const { call, clone } = bench;
    const { at: pull, branch, head, close } = await openPull(bench, 'outdated');
    const place = { path: `${branch}.txt`, commit_id: head, side: 'RIGHT' };
    for (const line of [2, 4])
      await call(`POST ${pull}/comments`, { ...place, line, body: `line ${line}` }, 201);
    await commitFile(clone, `${branch}.txt`, 'one\nchanged\nnew\nthree\nfour\nfive\n');
    await mustGit(clone, 'push', '-q', 'origin', branch);
    await untilField(bench, `GET ${pull}/comments`, { line: [null, 5], original_line: [2, 4] });
    await close();
  });
});
