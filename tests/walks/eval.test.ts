import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ABLATIONS } from '@mergexo/core/eval';
import type { Twin } from '@mergexo/github-twin';
import { isAlive, referTo } from '@mergexo/process';
import { createTemporaryDirectory, eventually } from '@mergexo/testkit';
import { createEvaluation, EVAL_REPO, mergePull, startEvalTwin } from '../fleet/eval-scene.js';

describe('mergexo eval', () => {
  let twin: Twin;
  let plain: Awaited<ReturnType<typeof mergePull>>;
  let reviewed: Awaited<ReturnType<typeof mergePull>>;
  const directory = createTemporaryDirectory();
  beforeAll(async () => {
    twin = await startEvalTwin();
    plain = await mergePull(twin, { title: 'Wrong value' });
    reviewed = await mergePull(twin, { title: 'Wrong value again', reviewed: true });
  });
  afterAll(async () => {
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
    directory.remove();
  });

  let evaluations = 0;
  const evaluate = (mode: string, repoKeys = '') => {
    evaluations += 1;
    return createEvaluation(twin, join(directory.path, String(evaluations)), { mode, repoKeys });
  };

  it('gives a perfect agent full marks and changes nothing on GitHub', async () => {
    const before = twin.history.list('write').length;
    const { rows, code, leaks } = await evaluate('perfect').measure();
    expect(rows).toEqual([
      expect.objectContaining({
        without: null,
        replays: 4,
        done: 4,
        testsPass: { count: 3, of: 3 },
        regressions: { count: 0, of: 3 },
        commentsFound: { count: 1, of: 1 },
        findingsRefuted: { count: 0, of: 1 },
        // The review asks two agents.
        tokens: 6_000,
        costUsd: 1.25,
      }),
    ]);
    expect(code).toBe(0);
    expect(leaks).toHaveLength(2);
    expect(twin.history.list('write')).toHaveLength(before);
  });

  it('shows the agent only texts from before the pull request was opened', async () => {
    const evaluation = evaluate('perfect');
    const { stderr } = await evaluation.measure('--pr', String(plain.pull));
    const [{ prompt } = { prompt: '' }] = evaluation.readCalls();
    expect(prompt).toContain('It is in src/value.txt.');
    expect(prompt).not.toContain('solution-');
    expect(stderr.match(/#\d+: comment \d+ was edited after #\d+ was opened/g)).toHaveLength(1);
  });

  it('skips an issue by a login outside allowed_users', async () => {
    const dir = join(directory.path, 'strangers');
    const evaluation = createEvaluation(twin, dir, { mode: 'perfect', allowedUsers: ['bob'] });
    const { stderr } = await evaluation.run('--pr', String(plain.pull));
    expect(stderr).toContain('whose author is not in allowed_users');
    expect(evaluation.readCalls()).toEqual([]);
  });

  it('removes nothing through a link', async () => {
    const evaluation = evaluate('perfect');
    const [results, precious] = [join(evaluation.base, 'results'), join(evaluation.base, 'precious')];
    mkdirSync(join(precious, '1'), { recursive: true });
    mkdirSync(results, { mode: 0o700 });
    symlinkSync(precious, join(results, 'work'));
    const { stderr } = await evaluation.run('--pr', String(plain.pull), '--dir', results);
    expect(stderr).toContain('is a link. Delete it.');
    expect(readdirSync(precious)).toEqual(['1']);
  });

  it('gives a lazy agent no marks', async () => {
    const { rows } = await evaluate('lazy').measure();
    expect(rows[0]).toMatchObject({
      done: 2,
      testsPass: { count: 0, of: 3 },
      regressions: { count: 0, of: 3 },
      meanFileOverlap: 0,
      medianSizeRatio: 0,
      commentsFound: { count: 0, of: 1 },
    });
  });

  it('finds regressions, even if the agent removed the test', async () => {
    const { rows } = await evaluate('careless').measure('--pr', String(plain.pull));
    expect(rows[0]).toMatchObject({ testsPass: { count: 0, of: 1 }, regressions: { count: 1, of: 1 } });
    expect(rows[0]?.meanFileOverlap).toBe(1 / 4);
  });

  it('hides the merged change from an agent that searches git, files and processes', async () => {
    const evaluation = evaluate('cheating');
    const { rows } = await evaluation.measure();
    expect(evaluation.readCalls()).toHaveLength(5);
    expect(rows[0]).toMatchObject({ testsPass: { count: 0, of: 3 } });
  });

  it('leaves nothing of the replayed pull requests in its directory', async () => {
    const evaluation = evaluate('perfect');
    await evaluation.measure('--pr', String(plain.pull));
    const dir = join(evaluation.base, 'eval', EVAL_REPO);
    expect(readdirSync(dir, { recursive: true })).toEqual(
      expect.arrayContaining(['eval.lock', 'results', join('results', `${plain.pull}-start.json`)]),
    );
    expect(readdirSync(join(dir, 'work'))).toEqual([]);
  });

  it('continues after a kill without repeating finished replays, and ends the agent of the killed run', async () => {
    const evaluation = evaluate('perfect');
    await evaluation.measure('--pr', String(plain.pull));
    const slow = createEvaluation(twin, join(evaluation.base, '..'), { mode: 'slow' });
    const started = slow.start(['--pr', String(plain.pull), String(reviewed.pull)]);
    const [, running] = await eventually(() => {
      const calls = slow.readCalls();
      if (calls.length < 2) throw new Error('the second replay has not started');
      return calls;
    });
    const agent = referTo(running?.pid ?? 0);
    started.kill('SIGKILL');
    await started.ended;
    const again = createEvaluation(twin, join(evaluation.base, '..'), { mode: 'perfect' });
    const { rows } = await again.measure('--pr', String(plain.pull), String(reviewed.pull));
    expect(rows[0]).toMatchObject({ replays: 4, testsPass: { count: 3, of: 3 } });
    expect(again.readCalls()).toHaveLength(6);
    expect(agent !== undefined && isAlive(agent)).toBe(false);
  });

  it('stores nothing about a replay that somebody interrupts, and prints the results so far', async () => {
    const evaluation = evaluate('slow');
    const started = evaluation.start(['--json', '--pr', String(plain.pull)]);
    await eventually(() => expect(evaluation.readCalls()).toHaveLength(1));
    started.kill('SIGINT');
    const { code, stdout } = await started.ended;
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, stopped: 'it was interrupted', measured: [] });
    expect(code).toBe(1);
    expect(readdirSync(join(evaluation.base, 'eval', EVAL_REPO, 'results'))).toEqual([]);
  });

  it('skips a pull request whose own tests fail, without asking the agent', async () => {
    const { pull } = await mergePull(twin, { title: 'Broken', tests: 'exit 1\n' });
    const evaluation = evaluate('perfect');
    const { measured } = await evaluation.measure('--pr', String(pull));
    expect(measured).toMatchObject([{ score: { outcome: 'skipped', usage: { costUsd: 0 } } }]);
    expect(evaluation.readCalls()).toEqual([]);
  });

  it('runs setup before the tests that score a result', async () => {
    const { pull } = await mergePull(twin, {
      title: 'Needs setup',
      tests: 'grep -qx installed installed.txt\n',
    });
    const { measured } = await evaluate('perfect', 'setup = "set-up.sh"').measure('--pr', String(pull));
    expect(measured).toMatchObject([{ score: { outcome: 'done', testsPass: true, regressed: false } }]);
    const without = await evaluate('perfect').measure('--pr', String(pull));
    expect(without.measured).toMatchObject([{ score: { outcome: 'skipped' } }]);
  });

  it('stops before the cost limit is exceeded by another replay, and continues with a higher limit', async () => {
    const evaluation = evaluate('perfect');
    const stopped = await evaluation.measure('--max-cost-usd', '0.5');
    expect(stopped).toMatchObject({ code: 1, stopped: expect.stringContaining('--max-cost-usd is 0.5') });
    expect(evaluation.readCalls()).toHaveLength(2);
    expect(await evaluation.measure('--max-cost-usd', '5')).toMatchObject({ code: 0, stopped: null });
    expect(evaluation.readCalls()).toHaveLength(5);
  });

  it('prints one row per removed item, and reuses results that the item cannot change', async () => {
    const other = await twin
      .as('alice')
      .openIssue(EVAL_REPO, { title: 'Other', body: 'Here is the word of another issue.' });
    const upload = twin.control.upload({
      bytes: Buffer.from('Here is the word in an upload.'),
      name: 'word.txt',
    });
    const cases = [
      await mergePull(twin, { title: 'Wrong value, needs hunk', reviewed: true }),
      await mergePull(twin, {
        title: 'Wrong value, needs ci',
        reviewed: true,
        ci: 'value.sh: expected another word\n',
      }),
      await mergePull(twin, { title: 'Wrong value, needs linked', body: `See #${other}.` }),
      await mergePull(twin, { title: 'Wrong value, needs rules' }),
      await mergePull(twin, { title: 'Wrong value, needs images', body: `See [word](${upload}).` }),
    ];
    const evaluation = evaluate('attentive');
    const items = Object.keys(ABLATIONS);
    const pulls = cases.map(({ pull }) => String(pull));
    const { rows, measured } = await evaluation.measure('--ablate', items.join(), '--pr', ...pulls);
    expect(rows.map(({ without }) => without)).toEqual([null, ...items]);
    const failed = measured.filter(({ score }) => score.testsPass === false).map(({ score }) => score);
    expect(failed.map(({ prNumber, replay, without }) => [prNumber, replay, without])).toEqual([
      [cases[0]?.pull, 'feedback', 'hunk'],
      [cases[1]?.pull, 'feedback', 'ci'],
      [cases[2]?.pull, 'start', 'linked'],
      [cases[3]?.pull, 'start', 'rules'],
      [cases[4]?.pull, 'start', 'images'],
    ]);
    expect(rows.map(({ affected }) => affected)).toEqual([9, 2, 2, 1, 9, 2, 1]);
    // An ablation removes nothing but its item.
    const starts = evaluation.readCalls().filter(({ kind }) => kind.endsWith('_start'));
    expect(starts.filter(({ prompt }) => !prompt.includes('Run ./run-tests.sh'))).toEqual([]);
    expect(starts.filter(({ prompt }) => !prompt.includes('Follow the house rule'))).toHaveLength(
      cases.length,
    );
    const refuted = items.map((item) => (item === 'verify' ? 0 : 2));
    expect(rows.map(({ findingsRefuted }) => findingsRefuted)).toEqual(
      [2, ...refuted].map((count) => ({ count, of: 4 })),
    );
  });

  it.each([
    [['--ablate', 'hunk,nothing'], '--ablate does not accept nothing. Use one or more of hunk, ci'],
    [['--max-cases', '0'], '--max-cases must be a whole number of at least 1, not 0.'],
    [['--max-cost-usd', 'much'], '--max-cost-usd must be an amount such as 5 or 2.50, not much.'],
    [['--pr', '-3'], '--pr must be a whole number of at least 1, not -3.'],
    [['--repo', 'alice/other'], 'alice/other is not in the config. Use one of alice/app.'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await evaluate('perfect').run(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses to mix the results of two agents', async () => {
    const evaluation = evaluate('lazy');
    await evaluation.measure('--max-cases', '1', '--max-cost-usd', '0');
    const other = { mode: 'lazy', repoKeys: 'agent_adapter = "codex"' };
    const { code, stderr } = await createEvaluation(twin, join(evaluation.base, '..'), other).run();
    const message = 'has results of alice/app with command, reviewed by command, but the config now says';
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
  });

  it('shows the agent no later issue, even if the text of an issue mentions one', async () => {
    const alice = twin.as('alice');
    const number = await alice.openIssue(EVAL_REPO, { title: 'The next numbers are known' });
    // The text may mention an issue that nobody has opened yet.
    const { pull } = await mergePull(twin, { title: 'Wrong again', body: `See #${number + 3}.` });
    expect(await alice.openIssue(EVAL_REPO, { title: 'It was solution-x' })).toBe(number + 3);
    const evaluation = evaluate('lazy');
    await evaluation.measure('--pr', String(pull));
    const [{ prompt } = { prompt: '' }] = evaluation.readCalls();
    expect(prompt).toContain(`See #${number + 3}.`);
    expect(prompt).not.toContain('It was solution-x');
  });

  it('shows the agent the texts as they were, even if people rewrote them later', async () => {
    const linked = await twin
      .as('alice')
      .openIssue(EVAL_REPO, { title: 'The cause', body: 'A typing error.' });
    const { issue, pull } = await mergePull(twin, {
      title: 'Wrong in a new way',
      body: `See #${linked}.`,
      reviewed: true,
      rewrites: true,
    });
    const change = { title: 'It was solution-x', body: 'It was solution-y.' };
    await twin.as('alice').request('PATCH', `/repos/${EVAL_REPO}/issues/${linked}`, change);
    const evaluation = evaluate('perfect');
    const { stderr } = await evaluation.measure('--pr', String(pull));
    const prompts = evaluation.readCalls().map(({ prompt }) => prompt);
    expect(prompts.length).toBeGreaterThanOrEqual(3);
    for (const prompt of prompts) {
      expect(prompt).toContain(`Wrong in a new way\n\nSee #${linked}.`);
      expect(prompt).toContain('The cause\n\nA typing error.');
      expect(prompt).not.toContain('solution-');
    }
    for (const number of [issue, pull, linked])
      expect(stderr).toContain(`#${pull}: #${number} was edited later, so the replay uses its earlier text`);
  });

  it('skips a pull request if the earlier text of its issue is gone', async () => {
    const { issue, pull } = await mergePull(twin, { title: 'Wrong once more', rewrites: true });
    const row = twin.world.store.issues.find(({ number }) => number === issue);
    if (row === undefined) throw new Error('no issue');
    twin.world.store.issues.put({ ...row, bodies: row.bodies?.map(({ at }) => ({ at, text: null })) ?? [] });
    const { stderr } = await evaluate('perfect').run('--pr', String(pull));
    expect(stderr).toContain(`#${pull} closes #${issue}, but the earlier text of #${issue} is gone`);
  });

  it('explains every item in its help', async () => {
    const { stdout } = await evaluate('perfect').run('--help');
    for (const [name, { about }] of Object.entries(ABLATIONS))
      expect(stdout.replace(/\s+/g, ' ')).toContain(`${name} ${about}`);
  });
});
