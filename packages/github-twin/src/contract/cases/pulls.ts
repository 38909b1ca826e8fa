import assert from 'node:assert/strict';
import { commitFile, mustGit } from '../../testing/git.js';
import { at, each } from '../../testing/json-fields.js';
import { eventually } from '../client/client.js';
import { type Bench, type Case, Numbered } from '../client/workbench.js';

/** A branch with one new file of five lines, pushed; answers with its head. */
export async function pushBranch({ clone, defaultBranch }: Bench, branch: string): Promise<string> {
  await mustGit(clone, 'fetch', '-q', 'origin');
  await mustGit(clone, 'checkout', '-q', '-B', branch, `origin/${defaultBranch}`);
  const sha = await commitFile(clone, `${branch}.txt`, 'one\ntwo\nthree\nfour\nfive\n');
  await mustGit(clone, 'push', '-q', '-f', 'origin', branch);
  return sha;
}

export async function openPull(
  bench: Bench,
  name: string,
  body = '',
): Promise<{ number: number; branch: string; head: string }> {
  const branch = bench.unique(name);
  const head = await pushBranch(bench, branch);
  const opened = await bench.client.call('POST', '~/pulls', {
    body: { title: branch, head: branch, base: bench.defaultBranch, body },
    expect: 201,
  });
  return { number: Numbered.parse(opened.body).number, branch, head };
}

export const pullCases: Case[] = [
  {
    title: 'opens one pull request per branch, and none without commits',
    run: async (bench) => {
      const { client, defaultBranch: base, target } = { ...bench, target: bench.client.target };
      const { branch, number, head } = await openPull(bench, 'open');
      const refused = async (body: object) => {
        const answer = await client.call('POST', '~/pulls', { body, expect: 422 });
        return each(at(answer.body, 'errors'), 'message');
      };
      const owner = target.repo.split('/')[0];
      assert.deepEqual(await refused({ title: 'again', head: branch, base }), [
        `A pull request already exists for ${owner}:${branch}.`,
      ]);
      const empty = bench.unique('empty');
      await mustGit(bench.clone, 'push', '-q', 'origin', `origin/${base}:refs/heads/${empty}`);
      assert.deepEqual(await refused({ title: 'nothing', head: empty, base }), [
        `No commits between ${base} and ${empty}`,
      ]);
      await mustGit(bench.clone, 'push', '-q', 'origin', `:${empty}`);
      await client.call('POST', '~/pulls', {
        body: { title: 'none', head: 'no-such-branch', base },
        expect: 422,
      });
      await eventually(async () => {
        const found = await client.call('GET', '~/pulls', {
          query: { head: `${owner}:${branch}`, state: 'all' },
        });
        assert.deepEqual(each(found.body, 'head', 'sha'), [head]);
      });
      const params = { pull_number: number };
      const pull = await client.call('GET', '~/pulls/{pull_number}', { params });
      assert.deepEqual(
        [at(pull.body, 'commits'), at(pull.body, 'additions'), at(pull.body, 'changed_files')],
        [1, 5, 1],
      );
      const files = await client.call('GET', '~/pulls/{pull_number}/files', { params });
      assert.deepEqual(each(files.body, 'status'), ['added']);
      const commits = await client.call('GET', '~/pulls/{pull_number}/commits', { params });
      assert.deepEqual(each(commits.body, 'sha'), [head]);
      const issue = await client.call('GET', '~/issues/{issue_number}', { params: { issue_number: number } });
      assert.ok(at(issue.body, 'pull_request', 'url'));
      await client.call('PATCH', '~/pulls/{pull_number}', { params, body: { state: 'closed' } });
    },
  },
  {
    title: 'moves the head with every push, forced ones too',
    run: async (bench) => {
      const { client, clone } = bench;
      const { number, branch } = await openPull(bench, 'moving');
      const params = { pull_number: number };
      const second = await commitFile(clone, `${branch}.txt`, 'zero\none\n');
      await mustGit(clone, 'push', '-q', 'origin', branch);
      const headIs = (sha: string) =>
        eventually(async () => {
          const pull = await client.call('GET', '~/pulls/{pull_number}', { params });
          assert.equal(at(pull.body, 'head', 'sha'), sha);
        });
      await headIs(second);
      await mustGit(clone, 'commit', '-q', '--amend', '-m', 'rewritten');
      await mustGit(clone, 'push', '-q', '-f', 'origin', branch);
      const rewritten = await mustGit(clone, 'rev-parse', 'HEAD');
      await headIs(rewritten);
      const compared = await client.call('GET', '~/compare/{basehead}', {
        params: { basehead: `${second}...${rewritten}` },
      });
      assert.deepEqual(
        [at(compared.body, 'status'), at(compared.body, 'ahead_by'), at(compared.body, 'behind_by')],
        ['diverged', 1, 1],
      );
      await client.call('PATCH', '~/pulls/{pull_number}', { params, body: { state: 'closed' } });
    },
  },
  {
    title: 'merges only the head it was asked to merge, and closes what the body says',
    run: async (bench) => {
      const { client, unique } = bench;
      const issue = await client.call('POST', '~/issues', {
        body: { title: unique('To be fixed') },
        expect: 201,
      });
      const issue_number = Numbered.parse(issue.body).number;
      const { number, head } = await openPull(bench, 'merge', `Fixes #${issue_number}`);
      const params = { pull_number: number };
      await eventually(async () => {
        const pull = await client.call('GET', '~/pulls/{pull_number}', { params });
        assert.equal(at(pull.body, 'mergeable'), true);
      });
      await client.call('PUT', '~/pulls/{pull_number}/merge', {
        params,
        body: { sha: 'f'.repeat(40) },
        expect: 409,
      });
      const merged = await client.call('PUT', '~/pulls/{pull_number}/merge', {
        params,
        body: { sha: head, merge_method: 'squash' },
      });
      assert.equal(at(merged.body, 'merged'), true);
      await client.call('PUT', '~/pulls/{pull_number}/merge', { params, body: { sha: head }, expect: 405 });
      await eventually(async () => {
        const closed = await client.call('GET', '~/issues/{issue_number}', { params: { issue_number } });
        assert.equal(at(closed.body, 'state'), 'closed');
      });
    },
  },
  {
    title: 'combines the statuses of a head',
    run: async (bench) => {
      const { client } = bench;
      const { number, head } = await openPull(bench, 'status');
      const status = (state: string) =>
        client.call('POST', '~/statuses/{sha}', {
          params: { sha: head },
          body: { state, context: 'contract' },
          expect: 201,
        });
      await status('pending');
      await status('success');
      const combined = await client.call('GET', '~/commits/{ref}/status', { params: { ref: head } });
      assert.deepEqual([at(combined.body, 'state'), at(combined.body, 'total_count')], ['success', 1]);
      await client.call('GET', '~/commits/{ref}/check-runs', { params: { ref: head } });
      await client.call('PATCH', '~/pulls/{pull_number}', {
        params: { pull_number: number },
        body: { state: 'closed' },
      });
    },
  },
];
