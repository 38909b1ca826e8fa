import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createScene, type Scene } from '../fleet/feedback-scene.js';
import { type createWalk, REPO, WINDOW_SECONDS } from '../fleet/walk.js';

type Options = Parameters<typeof createWalk>[0];

/** Gives each test its own scene, so that the tests can wait in parallel. */
function inScene(test: (scene: Scene) => Promise<void>, options: Options = {}): () => Promise<void> {
  return async () => {
    const scene = await createScene(options);
    try {
      await test(scene);
      expect(scene.walk.twin.control.violations()).toEqual([]);
    } finally {
      await scene.close();
    }
  };
}

describe('feedback turns, end to end', () => {
  it.concurrent(
    'a new review comment on an open tracked pull request causes one logical feedback turn',
    inScene(
      async ({ walk, issue, headSha, replies, comments, onLine, answered, commits }) => {
        const id = await onLine('Please say more. {"write":{"more.txt":"more\\n"}}');
        await answered(1);
        expect(
          walk.agentRequests(issue).filter(({ kind }) => kind === 'implementation_feedback'),
        ).toHaveLength(1);
        const posted = await replies();
        expect(posted.map(({ in_reply_to_id, body }) => [in_reply_to_id, body.split('\n')[0]])).toEqual([
          [id, `Answer to ${id}.`],
        ]);
        expect(await commits()).toHaveLength(2);
        expect((await commits())[0]).toBe(headSha);
        expect(await comments()).toEqual([]);
      },
      { sandbox: 'auto' },
    ),
  );

  it.concurrent(
    'polling again with no new comments produces no new replies and no new commits',
    inScene(async ({ walk, issue, onLine, answered, commits, writes, aWhile }) => {
      await onLine('Why?');
      await answered(1);
      const [before, calls] = [writes(), walk.agentCalls(issue)];
      await aWhile();
      expect(writes()).toBe(before);
      expect(walk.agentCalls(issue)).toBe(calls);
      expect(await commits()).toHaveLength(1);
    }),
  );

  it.concurrent(
    'a crash after a reply is posted to GitHub but before SQLite records it causes no duplicate reply after the restart',
    inScene(async ({ walk, poller, replies, turns, onLine, answered }) => {
      poller.kill('SIGKILL');
      await poller.exited;
      const id = await onLine('Why?');
      const killedPoller = walk.startPoller('poller:action-answered');
      await killedPoller.exited;
      expect(await replies()).toHaveLength(1);
      expect(turns()[0]?.state).toBe('speaking');
      walk.startPoller();
      await answered(1);
      expect((await replies()).map(({ in_reply_to_id }) => in_reply_to_id)).toEqual([id]);
    }),
  );

  it.concurrent(
    'processed_at is set only after every reply of the turn is confirmed on GitHub',
    inScene(async ({ walk, pr, replies, comments, unprocessed, until, answered, aWhile }) => {
      const held = walk.twin.control.fault({
        kind: 'error',
        when: 'before',
        status: 502,
        times: null,
        route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      });
      // Within the second of the pull request's last change, MergeXO could read the review before its comment
      // and open two turns.
      await sleep(1_100);
      await walk.alice.submitReview(REPO, pr, {
        event: 'COMMENT',
        body: 'Two things.',
        comments: [{ path: 'fix.txt', line: 1, body: 'Why?' }],
      });
      await until(async () => expect(await replies()).toHaveLength(1));
      await aWhile();
      expect(unprocessed()).toHaveLength(2);
      held.clear();
      await answered(1);
      expect(unprocessed()).toEqual([]);
      expect([(await replies()).length, (await comments()).length]).toEqual([1, 1]);
    }),
  );

  it.concurrent(
    'the agent is invoked only when the local head matches the head of the pull request',
    inScene(async ({ walk, issue, branch, onLine, answered }) => {
      const human = await walk.alice.pushFiles(REPO, branch, { 'human.txt': 'by a person\n' });
      await onLine('Why?');
      await answered(1);
      expect(walk.agentRequests(issue).at(-1)?.headSha).toBe(human);
    }),
  );

  it.concurrent(
    'if the head does not match, MergeXO retries later and does not run the agent',
    inScene(async ({ walk, issue, branch, replies, onLine, answered, aWhile }) => {
      const stale = walk.twin.control.fault({
        kind: 'stale',
        seconds: 3_600,
        route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}',
      });
      const calls = walk.agentCalls(issue);
      await walk.alice.pushFiles(REPO, branch, { 'human.txt': 'by a person\n' });
      await onLine('Why?');
      await aWhile();
      expect(walk.agentCalls(issue)).toBe(calls);
      stale.clear();
      await answered(1);
      expect(await replies()).toHaveLength(1);
    }),
  );

  it.concurrent(
    'feedback is routed by pull request number to the matching branch and saved session',
    inScene(async ({ walk, issue, headSha, until, head }) => {
      const other = await walk.openPull('agent:small-job');
      await walk.alice.comment(REPO, other.pr, 'And you? {"write":{"other.txt":"x\\n"}}');
      await until(() => expect(walk.agentRequests(other.issue)).toHaveLength(2));
      await until(async () =>
        expect(
          await walk.alice.request('GET', `/repos/${REPO}/contents/other.txt?ref=${other.branch}`),
        ).toBeTruthy(),
      );
      expect(walk.agentRequests(other.issue)[1]).toMatchObject({
        kind: 'implementation_feedback',
        headSha: other.headSha,
        thread: `thread-${other.issue}`,
      });
      expect(await head()).toBe(headSha);
      expect(walk.agentCalls(issue)).toBe(1);
    }),
  );

  it.concurrent.each(['merged', 'closed'] as const)(
    'a %s pull request stops receiving scheduled feedback turns',
    (how) =>
      inScene(async ({ walk, pr, issue, pull, turns, comments, until, aWhile }) => {
        if (how === 'merged') await walk.alice.merge(REPO, pr);
        else await walk.alice.close(REPO, pr);
        await walk.alice.comment(REPO, pr, 'Too late?');
        await until(() => expect(pull().status).toBe(how));
        await aWhile();
        expect(turns()).toEqual([]);
        expect(walk.runOf(issue)?.status).toBe(how);
        // After a close, MergeXO comments with the next steps. A merge needs no comment.
        const expected =
          how === 'merged' ? [] : [expect.stringContaining('was closed, so MergeXO stopped working on it')];
        await until(async () => expect((await comments()).map(({ body }) => body)).toEqual(expected));
      })(),
  );

  it.concurrent(
    'a pull request that is merged while the agent works gets no further push and no further comment',
    inScene(async ({ walk, pr, issue, headSha, comments, pull, until, commits, aWhile }) => {
      await walk.alice.comment(REPO, pr, '{"sleepMs":3000,"write":{"late.txt":"x\\n"}}');
      await until(() => expect(walk.agentCalls(issue)).toBe(2));
      await walk.alice.merge(REPO, pr);
      await until(() => expect(pull().status).toBe('merged'));
      await aWhile(3_500);
      expect(await comments()).toEqual([]);
      expect(await commits()).toEqual([headSha]);
    }),
  );

  it.concurrent(
    'an agent that rewrites history locally blocks the pull request and nothing is pushed',
    inScene(async ({ walk, pr, issue, headSha, comments, pull, unprocessed, until, commits }) => {
      await walk.alice.comment(REPO, pr, 'Tidy up. {"rewrite":true,"write":{"fix.txt":"tidy\\n"}}');
      await until(() => expect(pull().status).toBe('blocked'));
      expect(pull()).toMatchObject({ blockedKind: 'history_rewritten' });
      expect(walk.runOf(issue)).toMatchObject({
        status: 'blocked',
        error: expect.stringContaining('history'),
      });
      await until(async () => expect(await comments()).toHaveLength(1));
      const body = (await comments())[0]?.body ?? '';
      expect(body).toContain(`Nothing was pushed. The branch is still at ${headSha}`);
      // The notice names only the accepted commit, because the agent's commit never reached GitHub.
      expect(new Set(body.match(/\b[0-9a-f]{40}\b/g))).toEqual(new Set([headSha]));
      expect(body).not.toContain('head_sha=');
      expect(await commits()).toEqual([headSha]);
      expect(unprocessed()).toHaveLength(1);
    }),
  );

  it.concurrent(
    'a head that did not move by fast-forward blocks the pull request',
    inScene(async ({ walk, pr, issue, branch, headSha, comments, pull, until }) => {
      const rewritten = await walk.alice.forcePush(REPO, branch, { 'other.txt': 'y\n' });
      await walk.alice.comment(REPO, pr, 'Hello?');
      await until(() => expect(pull().status).toBe('blocked'));
      await until(async () => expect(await comments()).toHaveLength(1));
      const body = (await comments())[0]?.body ?? '';
      for (const part of [headSha, rewritten, `head_sha=${rewritten}`, '/mergexo unblock'])
        expect(body).toContain(part);
      expect(walk.agentCalls(issue)).toBe(1);
    }),
  );

  it.concurrent(
    'a head behind the last accepted head blocks the pull request after the visibility window',
    inScene(async ({ walk, pr, branch, headSha, pull, onLine, until, answered, head }) => {
      await onLine('More. {"write":{"more.txt":"x\\n"}}');
      await answered(1);
      await walk.alice.request('PATCH', `/repos/${REPO}/git/refs/heads/${branch}`, {
        sha: headSha,
        force: true,
      });
      await walk.alice.comment(REPO, pr, 'Hello?');
      await until(() => expect(pull().status).toBe('blocked'));
      expect(await head()).toBe(headSha);
    }),
  );

  it.concurrent(
    'a head that moved by fast-forward does not block, and MergeXO continues from the new head',
    inScene(async ({ walk, pr, branch, headSha, pull, answered, commits }) => {
      const human = await walk.alice.pushFiles(REPO, branch, { 'human.txt': 'x\n' });
      await walk.alice.comment(REPO, pr, 'Go on. {"write":{"more.txt":"x\\n"}}');
      await answered(1);
      expect(pull().status).toBe('awaiting_feedback');
      expect((await commits()).slice(0, 2)).toEqual([headSha, human]);
      expect(await commits()).toHaveLength(3);
    }),
  );

  it.concurrent(
    'each feedback turn adds a commit, and the pull request’s history only grows',
    inScene(async ({ walk, pr, branch, answered, head, commits }) => {
      const seen = [await head()];
      for (let i = 1; i <= 3; i += 1) {
        await walk.alice.comment(REPO, pr, `Round ${i}. {"write":{"round.txt":"${i}\\n"}}`);
        await answered(i);
        seen.push(await head());
      }
      expect(await commits()).toEqual(seen);
      const refs = walk.twin.history.list('ref').filter(({ ref }) => ref.endsWith(branch));
      expect(refs.filter(({ forced }) => forced)).toEqual([]);
    }),
  );

  it.concurrent(
    'the notice about rewritten history is posted once, even if the poller crashes',
    inScene(async ({ walk, poller, pr, branch, comments, until, aWhile }) => {
      poller.kill('SIGKILL');
      await poller.exited;
      await walk.alice.forcePush(REPO, branch, { 'other.txt': 'y\n' });
      await walk.alice.comment(REPO, pr, 'Hello?');
      for (const point of ['poller:action-sending', 'poller:action-answered']) {
        const killedPoller = walk.startPoller(point);
        await killedPoller.exited;
      }
      walk.startPoller();
      await until(async () => expect(await comments()).toHaveLength(1));
      await aWhile(WINDOW_SECONDS * 1_000 + 1_000);
      expect(await comments()).toHaveLength(1);
    }),
  );

  it.concurrent(
    'an operator unblocks a pull request with the documented steps, and MergeXO answers every comment',
    inScene(async ({ walk, pr, branch, headSha, replies, pull, unprocessed, onLine, until }) => {
      const rewritten = await walk.alice.forcePush(REPO, branch, { 'fix.txt': 'y\n' });
      await onLine('Hello?');
      await until(() => expect(pull().status).toBe('blocked'));
      const listed = await walk.runCli('feedback', 'blocked', 'list', '--json');
      expect(JSON.stringify(JSON.parse(listed.output))).toContain(headSha);
      const reset = await walk.runCli(
        'feedback',
        'blocked',
        'reset',
        '--pr',
        String(pr),
        '--head-sha',
        rewritten,
      );
      expect([reset.code, reset.output]).toEqual([0, expect.anything()]);
      await until(async () => expect(await replies()).toHaveLength(1));
      await until(() =>
        expect(pull()).toMatchObject({
          status: 'awaiting_feedback',
          acceptedHeadSha: rewritten,
          error: null,
        }),
      );
      await until(() => expect(unprocessed()).toEqual([]));
    }),
  );

  it.concurrent(
    'unblock without head_sha keeps the accepted head, so the rewritten history blocks the pull request again',
    inScene(async ({ walk, pr, branch, headSha, comments, pull, until }) => {
      await walk.alice.forcePush(REPO, branch, { 'fix.txt': 'y\n' });
      await walk.alice.comment(REPO, pr, 'Hello?');
      await until(() => expect(pull().status).toBe('blocked'));
      await until(async () => expect(await comments()).toHaveLength(1));
      await walk.alice.comment(REPO, pr, '/mergexo unblock');
      await until(async () => expect(await comments()).toHaveLength(3));
      expect(pull()).toMatchObject({ status: 'blocked', acceptedHeadSha: headSha });
    }),
  );

  it.concurrent(
    'if a person pushes first, MergeXO discards its own commit and answers the comments on the new head',
    inScene(async ({ walk, pr, issue, branch, headSha, comments, turns, until, commits }) => {
      await walk.alice.comment(REPO, pr, 'Do it. {"sleepMs":1500,"write":{"more.txt":"x\\n"}}');
      await until(() => expect(walk.agentCalls(issue)).toBe(2));
      const human = await walk.alice.pushFiles(REPO, branch, { 'human.txt': 'x\n' });
      await until(() => expect(turns().map(({ state }) => state)).toEqual(['superseded', 'done']));
      expect((await commits()).slice(0, 2)).toEqual([headSha, human]);
      expect(await comments()).toHaveLength(1);
    }),
  );

  it.concurrent(
    'a comment from a person who is no longer in allowed_users starts no agent, and explain says why',
    inScene(
      async ({ walk, poller, worker, pr, issue, comments, turns, until, aWhile }) => {
        worker.kill('SIGKILL');
        await worker.exited;
        await walk.twin.as('mallory').comment(REPO, pr, 'Run this. {"write":{"evil.txt":"x\\n"}}');
        await until(() => expect(turns()).toHaveLength(1));
        poller.kill('SIGKILL');
        await poller.exited;
        const path = join(walk.dir, 'mergexo.toml');
        writeFileSync(path, readFileSync(path, 'utf8').replace('["alice", "mallory"]', '["alice"]'));
        walk.startPoller();
        walk.startWorker();
        await until(() => expect(turns()[0]?.state).toBe('cancelled'));
        await aWhile();
        expect(walk.agentRequests(issue).map(({ kind }) => kind)).not.toContain('implementation_feedback');
        const { output } = await walk.runCli('explain', String(pr));
        expect(output).toContain('mallory is not in allowed_users');
        await walk.alice.comment(REPO, pr, 'Still there?');
        await until(async () => expect(await comments()).toHaveLength(1));
        expect(walk.agentRequests(issue).at(-1)?.comments.join()).not.toContain('Run this.');
      },
      { repoKeys: 'allowed_users = ["alice", "mallory"]' },
    ),
  );

  it.concurrent(
    'a missing session blocks the pull request and posts one comment',
    inScene(async ({ walk, pr, issue, comments, pull, unprocessed, until }) => {
      walk.withState((state) => state.retireSession(walk.runOf(issue)?.id ?? 0, Date.now()));
      await walk.alice.comment(REPO, pr, 'Hello?');
      await until(() => expect(pull()).toMatchObject({ status: 'blocked', blockedKind: 'session_missing' }));
      await until(async () => expect(await comments()).toHaveLength(1));
      expect(unprocessed()).toHaveLength(1);
    }),
  );
});
