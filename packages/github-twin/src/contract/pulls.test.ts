import assert from 'node:assert/strict';
import { commitFile, mustGit } from '../testing/git.js';
import { at, each } from '../testing/json-fields.js';
import { numberOf, openPull, untilField, useBench } from './bench.js';

describe('the contract with GitHub: pull requests', () => {
  const open = useBench();

  it('opens one pull request per branch, and no pull request without commits', async () => {
    const bench = open();
    const { call, clone, unique, defaultBranch: base } = bench;
    const pull = await openPull(bench, 'open');
    const owner = bench.client.target.repo.split('/')[0];
    const refused = async (title: string, head: string) => {
      const answer = await call('POST ~/pulls', { title, head, base }, 422);
      return each(at(answer.body, 'errors'), 'message');
    };
    assert.deepEqual(await refused('again', pull.branch), [
      `A pull request already exists for ${owner}:${pull.branch}.`,
    ]);
    const empty = unique('empty');
    await mustGit(clone, 'push', '-q', 'origin', `origin/${base}:refs/heads/${empty}`);
    assert.deepEqual(await refused('nothing', empty), [`No commits between ${base} and ${empty}`]);
    await mustGit(clone, 'push', '-q', 'origin', `:${empty}`);
    await refused('none', 'no-such-branch');
    const byHead = `GET ~/pulls?head=${owner}:${pull.branch}&state=all`;
    await untilField(bench, byHead, { 'head.sha': [pull.head] });
    await untilField(bench, `GET ${pull.at}`, { commits: 1, additions: 5, changed_files: 1 });
    await untilField(bench, `GET ${pull.at}/files`, { status: ['added'] });
    await untilField(bench, `GET ${pull.at}/commits`, { sha: [pull.head] });
    assert.ok(at((await call(`GET ~/issues/${pull.number}`)).body, 'pull_request', 'url'));
    await pull.close();
  });

  it('moves the head with every push, including force pushes', async () => {
    const bench = open();
    const { clone } = bench;
    const pull = await openPull(bench, 'moving');
    const second = await commitFile(clone, `${pull.branch}.txt`, 'zero\none\n');
    await mustGit(clone, 'push', '-q', 'origin', pull.branch);
    await untilField(bench, `GET ${pull.at}`, { 'head.sha': second });
    await mustGit(clone, 'commit', '-q', '--amend', '-m', 'rewritten');
    await mustGit(clone, 'push', '-q', '-f', 'origin', pull.branch);
    const rewritten = await mustGit(clone, 'rev-parse', 'HEAD');
    await untilField(bench, `GET ${pull.at}`, { 'head.sha': rewritten });
    const compared = { status: 'diverged', ahead_by: 1, behind_by: 1 };
    await untilField(bench, `GET ~/compare/${second}...${rewritten}`, compared);
    await pull.close();
  });

  it('merges only the requested head, and closes the issues in the body', async () => {
    const bench = open();
    const { call, unique } = bench;
    const issue = numberOf(await call('POST ~/issues', { title: unique('To be fixed') }, 201));
    const { at: pull, head } = await openPull(bench, 'merge', `Fixes #${issue}`);
    await untilField(bench, `GET ${pull}`, { mergeable: true });
    await call(`PUT ${pull}/merge`, { sha: 'f'.repeat(40) }, 409);
    const merged = await call(`PUT ${pull}/merge`, { sha: head, merge_method: 'squash' });
    assert.equal(at(merged.body, 'merged'), true);
    await call(`PUT ${pull}/merge`, { sha: head }, 405);
    await untilField(bench, `GET ~/issues/${issue}`, { state: 'closed' });
  });

  it('combines all statuses of a head', async () => {
    const bench = open();
    const { call } = bench;
    const { head, close } = await openPull(bench, 'status');
    for (const state of ['pending', 'success'])
      await call(`POST ~/statuses/${head}`, { state, context: 'contract' }, 201);
    await untilField(bench, `GET ~/commits/${head}/status`, { state: 'success', total_count: 1 });
    await call(`GET ~/commits/${head}/check-runs`);
    await close();
  });
});
