import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RepoConfig } from '@mergexo/config';
import { type FeedbackContext, type Plan, PlanParcel, type TurnKind } from '@mergexo/core/turns';
import { type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type { Planned } from './make-plan.js';
import { createPlanFeedback } from './plan-feedback.js';
import type { PlanTools } from './task.js';
import { aFeedbackContext, aReviewEvent } from './testing/a-feedback-context.js';
import { readHead } from './testing/read-head.js';
import { REMOTE, REPO } from './testing/remote.js';
import { aBegunTurn, createStage, LOST_SESSION, SECRET, type Step, say, TURN_KEY } from './testing/stage.js';

const AGENT = fileURLToPath(new URL('./testing/stepping-agent.mjs', import.meta.url));

const answer = (output: object, shell?: string): Step =>
  say({ review_replies: [], state_summary: 'now I know', ...output }, shell);
const reply = (body: string, id = 11) => ({ review_replies: [{ review_comment_id: id, body }] });
const EDIT = 'echo better > src/a.txt';

describe('a feedback turn', () => {
  const directory = createTemporaryDirectory();
  let twin: Twin;
  let ada: Person;
  let turns = 0;

  beforeAll(async () => {
    twin = await startTwin({ seed: REMOTE });
    ada = twin.as('ada');
  });
  afterAll(async () => {
    await twin.stop();
    directory.remove();
  });

  /** One turn on a branch of its own; the agent does the steps in order. */
  async function open(options: {
    steps: Step[];
    context?: Partial<FeedbackContext>;
    files?: Record<string, string>;
    /** Makes the branch; answers with its head. */
    prepare?: (branch: string) => Promise<string>;
    repo?: Partial<RepoConfig>;
    kind?: TurnKind;
    tools?: Pick<PlanTools, 'sessionMode' | 'readRules'>;
  }) {
    turns += 1;
    const branch = `agent/bugfix/${turns}-crash`;
    const headSha = options.prepare
      ? await options.prepare(branch)
      : await ada.pushFiles(REPO, branch, options.files ?? { 'src/b.txt': 'first\n' });
    const stage = createStage({
      dir: join(directory.path, String(turns)),
      remoteUrl: twin.gitUrl('acme', 'app'),
      token: twin.tokens['robot'],
      agent: AGENT,
      steps: options.steps,
      ...(options.repo && { repo: options.repo }),
    });
    const context = aFeedbackContext({ branch, headSha, ...options.context });
    const begun = aBegunTurn(options.kind ?? 'implementation_feedback', context);
    const planned = await createPlanFeedback({ ...stage.tools, ...options.tools })(
      begun,
      new AbortController().signal,
      () => {},
    );
    const { git, repo, calls } = stage;
    const remoteHead = () => readHead(twin.repoDir(REPO), branch);
    return { planned, calls, headSha, branch, git, repo, remoteHead };
  }

  function planOf(planned: Planned): Plan {
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    return PlanParcel.parse(planned.parcel).plan;
  }

  it('answers with a commit on the branch, which a push then brings to GitHub', async () => {
    const done = { ...reply('Changed it.'), commit_message: 'Make it better\n\nFixes #7' };
    const { planned, calls, headSha, branch, git, repo, remoteHead } = await open({
      steps: [answer(done, EDIT)],
    });
    const plan = planOf(planned);
    expect(plan).toMatchObject({
      commit: { branch, startSha: headSha },
      result: {
        kind: 'answer',
        replies: [{ commentId: 11, rootId: 11, body: 'Changed it.' }],
        general: null,
      },
      session: { adapter: 'command', threadId: 'thread-8' },
      stateSummary: 'now I know',
      usage: { inputTokens: 10, outputTokens: 5, costUsd: 0.5 },
    });
    const [call] = calls();
    expect(call).toMatchObject({
      session: { adapter: 'command', thread_id: 'thread-7' },
      turn: { task_context: { pr_number: 3, head_sha: headSha }, changed_files: ['src/b.txt'] },
    });
    if (planned.kind !== 'planned' || plan.commit === null) throw new Error('no commit');
    const bundle = Buffer.from(planned.parcel.bundle ?? '', 'base64');
    expect(await git.publish(repo, { ...plan.commit, bundle })).toMatchObject({ kind: 'pushed' });
    expect(remoteHead()).toBe(plan.commit.sha);
    const commit = JSON.stringify(await ada.request('GET', `/repos/${REPO}/commits/${plan.commit.sha}`));
    expect(commit).toContain(`MergeXO-Turn: ${TURN_KEY}`);
    expect(commit).not.toContain('Fixes #7');
  });

  it('answers without a commit where nothing changed; the root of a thread is its first comment', async () => {
    const events = [{ ...aReviewEvent(11), rootId: 8 }];
    const { planned } = await open({ steps: [answer(reply('On purpose.'))], context: { events } });
    expect(planned).toMatchObject({ parcel: { bundle: null } });
    expect(planOf(planned)).toMatchObject({
      commit: null,
      result: { replies: [{ commentId: 11, rootId: 8 }] },
    });
  });

  it('commits edits that the agent gave no message for', async () => {
    const { planned } = await open({ steps: [answer(reply('Done.'), EDIT)] });
    expect(planOf(planned).commit).not.toBeNull();
  });

  it('takes a commit of the agent itself', async () => {
    const shell = `${EDIT}; git -c user.name=a -c user.email=a@b.c commit -qam mine`;
    const { planned } = await open({ steps: [answer(reply('Done.'), shell)] });
    expect(planOf(planned).commit).not.toBeNull();
  });

  it('keeps secrets out of the plan and of the commit', async () => {
    const done = { ...reply(`It is ${SECRET}.`), commit_message: `Use ${SECRET}` };
    const { planned, git, repo } = await open({ steps: [answer(done, EDIT)] });
    const plan = planOf(planned);
    expect(JSON.stringify(plan)).not.toContain(SECRET);
    if (planned.kind !== 'planned' || plan.commit === null) throw new Error('no commit');
    await git.publish(repo, { ...plan.commit, bundle: Buffer.from(planned.parcel.bundle ?? '', 'base64') });
    const commit = await ada.request('GET', `/repos/${REPO}/commits/${plan.commit.sha}`);
    expect(JSON.stringify(commit)).toContain('Use [redacted]');
  });

  describe('what cannot be used', () => {
    const FABRICATED = 'Fixed in 1a2b3c4d.';
    it.each<[string, Step, string]>([
      ['an event without an answer', answer({ general_comment: '  ' }), 'review comment 11 has neither'],
      ['an id of another turn', answer({ ...reply('Hm.', 99), general_comment: 'Hm.' }), 'comment 99 is not'],
      ['a made-up commit', answer(reply(FABRICATED)), '1a2b3c4d is no commit of this branch'],
      ['a whole made-up sha', answer(reply(`In ${'d'.repeat(40)}`)), `${'d'.repeat(40)} is no commit`],
      ['a message without edits', answer({ ...reply('Done.'), commit_message: 'Do it' }), 'no file differs'],
      ['another shape', answer({ review_replies: 'none' }), 'review_replies'],
    ])('%s goes back once, in the same conversation, and is paid for', async (_name, bad, complaint) => {
      const { planned, calls } = await open({ steps: [bad, answer(reply('Sorry.'))] });
      expect(planOf(planned)).toMatchObject({
        result: { replies: [{ body: 'Sorry.' }] },
        usage: { inputTokens: 20, outputTokens: 10, costUsd: 1 },
      });
      expect(calls()).toHaveLength(2);
      expect(calls()[1]).toMatchObject({
        session: { thread_id: 'thread-8' },
        prompt: expect.stringContaining(complaint),
      });
    });

    it('fails after one repair, told apart from an agent that broke', async () => {
      const silent = answer({});
      const { planned, calls } = await open({ steps: [answer({ review_replies: 7 }), silent, silent] });
      expect(planned).toMatchObject({
        kind: 'failed',
        cause: 'unusable',
        reason: expect.stringContaining('review comment 11'),
        usage: { inputTokens: 20, outputTokens: 10, costUsd: 1 },
      });
      expect(calls()).toHaveLength(2);
    });

    it('a commit of another branch is none of this one, although it exists', async () => {
      const elsewhere = await ada.pushFiles(REPO, 'agent/bugfix/elsewhere', { 'x.txt': 'x' });
      const { planned, calls } = await open({
        steps: [answer(reply(`As in ${elsewhere}.`)), answer(reply('Ok.'))],
      });
      expect([planned.kind, calls().length]).toEqual(['planned', 2]);
    });
  });

  it('accepts a sha that the branch leads to', async () => {
    const base = readHead(twin.repoDir(REPO), 'main');
    const { calls, planned } = await open({ steps: [answer(reply(`As in ${base}.`))] });
    expect([planned.kind, calls().length]).toEqual(['planned', 1]);
  });

  it.each([
    ['amended', 'git -c user.name=a -c user.email=a@b.c commit -q --amend -m other'],
    ['reset', 'git reset -q --hard HEAD~1'],
    ['without any head', 'rm .git/HEAD'],
  ])('blocks a history that is %s, and nothing is pushed', async (_name, shell) => {
    const done = { ...reply('Done.'), commit_message: 'Do it' };
    const { planned, calls, headSha, remoteHead } = await open({ steps: [answer(done, shell)] });
    expect(planOf(planned)).toMatchObject({
      commit: null,
      result: { kind: 'block', blockKind: 'history_rewritten', reason: expect.stringContaining(headSha) },
    });
    expect(calls()).toHaveLength(1);
    expect(remoteHead()).toBe(headSha);
  });

  it('blocks with the reason of an agent that cannot go on', async () => {
    const { planned } = await open({ steps: [answer({ blocked_reason: 'Which login?' }, EDIT)] });
    expect(planOf(planned)).toMatchObject({
      commit: null,
      result: { kind: 'block', blockKind: 'agent_blocked', reason: 'Which login?', observedSha: null },
    });
  });

  it('comes again soon when the branch is not where it should be, and asks no agent', async () => {
    const { planned, calls } = await open({ steps: [], context: { headSha: 'e'.repeat(40) } });
    expect(planned).toMatchObject({
      kind: 'failed',
      cause: 'infrastructure',
      reason: expect.stringContaining('retry later'),
      retryAfterMs: 15_000,
      usage: { inputTokens: 0 },
    });
    expect(calls).toThrow('calls.jsonl');
  });

  it('begins a new conversation, with the summary, when the old one is lost', async () => {
    const { planned, calls } = await open({ steps: [LOST_SESSION, answer(reply('Hello again.'))] });
    expect(planOf(planned)).toMatchObject({
      result: { kind: 'answer' },
      session: { threadId: 'thread-8' },
      usage: { inputTokens: 20 },
    });
    const [first, second] = calls();
    expect([first?.session?.thread_id, second?.session]).toEqual(['thread-7', null]);
    expect(first?.prompt).not.toContain('The crash is fixed in a.txt.');
    expect(second?.prompt).toContain('The crash is fixed in a.txt.');
  });

  it('begins a new conversation each time, with the summary, where the mode says so', async () => {
    const tools = { sessionMode: 'stateless' as const };
    const { calls } = await open({ steps: [answer(reply('Hello.'))], tools });
    expect(calls()[0]).toMatchObject({
      session: null,
      prompt: expect.stringContaining('The crash is fixed in a.txt.'),
    });
  });

  it('tells the agent the rules of the repository', async () => {
    const tools = { readRules: async () => [{ path: '.mergexo/prompts/system_base.md', text: 'Use tabs.' }] };
    const { calls } = await open({ steps: [answer(reply('Hello.'))], tools });
    expect(calls()[0]?.prompt).toContain('BEGIN FILE .mergexo/prompts/system_base.md\nUse tabs.\nEND');
  });

  it("does not go on with another adapter's conversation", async () => {
    const session = { adapter: 'codex', threadId: 'thread-7' };
    const { calls } = await open({ steps: [answer(reply('Hello.'))], context: { session } });
    expect(calls()[0]?.session).toBeNull();
  });

  describe('with required tests', () => {
    const TESTS = { 'test.sh': '#!/bin/sh\ngrep -q right src/a.txt\n' };
    const wrong = answer(reply('Done.'), 'echo wrong > src/a.txt');

    it('sends failures back to the agent until they pass', async () => {
      const { planned, calls } = await openTested([wrong, answer(reply('Now.'), 'echo right > src/a.txt')]);
      expect(planOf(planned)).toMatchObject({
        result: { replies: [{ body: 'Now.' }] },
        usage: { inputTokens: 20 },
      });
      expect(calls()[1]?.prompt).toContain('required tests of the repository fail');
    });

    it('blocks after three repairs, and pushes nothing', async () => {
      const { planned, calls } = await openTested([wrong, wrong, wrong, wrong, wrong]);
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: { kind: 'block', blockKind: 'tests_failed' },
        usage: { inputTokens: 40 },
      });
      expect(calls()).toHaveLength(4);
    });

    it('asks no agent when they cannot run, and blocks with the reason', async () => {
      const { planned, calls } = await open({ steps: [], repo: { requiredTests: 'missing.sh' } });
      expect(planOf(planned)).toMatchObject({
        session: null,
        commit: null,
        result: {
          kind: 'block',
          blockKind: 'tests_unavailable',
          reason: expect.stringContaining('missing.sh does not exist'),
        },
      });
      expect(calls).toThrow('calls.jsonl');
    });

    it('answers on a branch that is older than the tests of its base', async () => {
      const pushed = await ada.pushFiles(REPO, `newer-${turns}`, { 'late.sh': '#!/bin/sh\nexit 0\n' });
      expect(pushed).toMatch(/^[0-9a-f]{40}$/);
      const { pull } = aFeedbackContext();
      const context = { pull: { ...pull, baseBranch: `newer-${turns}` } };
      const { planned } = await open({
        steps: [answer(reply('Done.'))],
        context,
        repo: { requiredTests: 'late.sh' },
      });
      expect(planOf(planned)).toMatchObject({ result: { kind: 'answer' } });
    });

    async function openTested(steps: Step[]) {
      return open({ steps, files: TESTS, repo: { requiredTests: 'test.sh' } });
    }
  });

  describe('on a design', () => {
    const path = 'docs/design/7-crash.md';
    const files = { [path]: '---\nissue: 7\npriority: 3\n---\n\n# Plan\n' };
    const openDesign = (steps: Step[], before: Record<string, string> = files) =>
      open({
        steps,
        files: before,
        kind: 'design_feedback',
        context: { flow: 'design_doc', designDocPath: path },
      });
    const ruin = answer(reply('Revised.'), `echo '# Plan' > ${path}`);

    it('asks for the frontmatter back', async () => {
      const mend = answer(reply('Mended.'), `printf -- '---\\nissue: 7\\n---\\n# New\\n' > ${path}`);
      const { planned, calls } = await openDesign([ruin, mend]);
      expect(planOf(planned).commit).not.toBeNull();
      expect(calls()[1]?.prompt).toContain('its frontmatter is gone');
    });

    it('does not blame the agent for a frontmatter that was gone before', async () => {
      const { planned, calls } = await openDesign([ruin], { [path]: '# No frontmatter\n' });
      expect([planned.kind, calls().length]).toEqual(['planned', 1]);
    });
  });

  describe('that was asked for an update', () => {
    const LINES = 'one\ntwo\nthree\n';
    const SIDES = {
      ours: { 'src/x.txt': `${LINES}ours\n` },
      theirs: { 'src/x.txt': `${LINES}theirs\n`, 'src/new.txt': 'new\n' },
    };
    const updateEvent = { ...aReviewEvent(21, '/mergexo update'), kind: 'issue' as const };
    const asked = { ...updateEvent, rootId: null, path: null, line: null, side: null };
    const RESOLVE = `printf '${LINES}ours\ntheirs\n' > src/x.txt`;
    const updated = answer({ general_comment: 'Updated.' });
    const resolved = answer({ general_comment: 'Updated.' }, RESOLVE);

    async function openUpdate(
      steps: Step[] | ((baseSha: string) => Step[]),
      { ours, theirs }: { ours: Record<string, string>; theirs: Record<string, string> | null } = SIDES,
      repo: Partial<RepoConfig> = {},
      about: Partial<FeedbackContext> = {},
    ) {
      const baseBranch = `base-${turns + 1}`;
      let [baseSha, number] = ['', 0];
      const script: Step[] = [];
      const prepare = async (branch: string) => {
        baseSha = await ada.pushFiles(REPO, baseBranch, { 'src/x.txt': LINES });
        const head = await ada.pushFiles(REPO, branch, ours, { from: baseBranch });
        number = await ada.openPull(REPO, { title: 'T', head: branch, base: baseBranch });
        if (theirs !== null) baseSha = await ada.pushFiles(REPO, baseBranch, theirs);
        script.push(...(Array.isArray(steps) ? steps : steps(baseSha)));
        return head;
      };
      const { pull } = aFeedbackContext();
      const context = { update: true, events: [asked], pull: { ...pull, baseBranch }, ...about };
      const opened = await open({ steps: script, prepare, context, repo });
      const mergeable = () => ada.request('GET', `/repos/${REPO}/pulls/${number}`);
      return { ...opened, baseBranch, baseSha, mergeable };
    }
    type Opened = Awaited<ReturnType<typeof openUpdate>>;

    async function publish({ planned, git, repo }: Opened) {
      const { commit } = planOf(planned);
      if (planned.kind !== 'planned' || commit === null) throw new Error('no commit');
      const bundle = Buffer.from(planned.parcel.bundle ?? '', 'base64');
      expect(await git.publish(repo, { ...commit, bundle, continues: true })).toEqual({ kind: 'pushed' });
      const made = await ada.request('GET', `/repos/${REPO}/commits/${commit.sha}`);
      return { sha: commit.sha, made };
    }

    it('shows the conflicts to the agent, and pushes its resolution as a merge of the base', async () => {
      const opened = await openUpdate([resolved]);
      const { calls, headSha, baseSha, baseBranch, branch, mergeable, git, repo } = opened;
      expect(await mergeable()).toMatchObject({ mergeable: false });
      expect(calls()[0]?.prompt).toContain(
        'BEGIN CONFLICTS\n- src/x.txt: changed on both sides\nEND CONFLICTS',
      );
      const { sha, made } = await publish(opened);
      expect(made).toMatchObject({
        parents: [{ sha: headSha }, { sha: baseSha }],
        commit: { message: `Merge branch '${baseBranch}' into ${branch}\n\nMergeXO-Turn: ${TURN_KEY}` },
      });
      expect(await git.isAncestor(repo, baseSha, sha)).toBe(true);
      expect(await git.isAncestor(repo, headSha, sha)).toBe(true);
      expect(await mergeable()).toMatchObject({ mergeable: true, head: { sha } });
      expect(planOf(opened.planned).result).toEqual({ kind: 'answer', replies: [], general: 'Updated.' });
    });

    it('takes the agent\u2019s message', async () => {
      const opened = await openUpdate([
        answer({ general_comment: 'Merged.', commit_message: 'Take both lines' }, RESOLVE),
      ]);
      expect((await publish(opened)).made).toMatchObject({
        commit: { message: expect.stringContaining('Take both lines') },
      });
    });

    it('accepts a sha that the merge brings', async () => {
      const { planned, calls } = await openUpdate((baseSha) => [
        answer({ general_comment: `Merged ${baseSha.slice(0, 12)}.` }, RESOLVE),
      ]);
      expect([planned.kind, calls().length]).toEqual(['planned', 1]);
    });

    it('merges what fits without edits', async () => {
      const theirs = { 'src/new.txt': 'new\n' };
      const opened = await openUpdate([updated], { ...SIDES, theirs });
      expect(opened.calls()[0]?.prompt).toContain('nothing conflicts');
      expect((await publish(opened)).made).toMatchObject({
        parents: [{ sha: opened.headSha }, { sha: opened.baseSha }],
      });
    });

    it('answers like any other turn when there is nothing to merge', async () => {
      const opened = await openUpdate([updated], { ...SIDES, theirs: null });
      expect(opened.calls()[0]?.prompt).toContain('there is nothing to merge');
      expect(planOf(opened.planned)).toMatchObject({ commit: null, result: { general: 'Updated.' } });
    });

    it('sends markers that are left back once', async () => {
      const opened = await openUpdate([updated, resolved]);
      const [, second] = opened.calls();
      expect(second?.prompt).toContain('src/x.txt: it still has conflict markers');
      expect((await publish(opened)).made).toMatchObject({ parents: [{}, {}] });
    });

    it('blocks with the files when they are still there, and nothing is pushed', async () => {
      const { planned, calls, headSha, remoteHead, baseBranch } = await openUpdate([
        updated,
        updated,
        resolved,
      ]);
      expect(planned).toMatchObject({ parcel: { bundle: null } });
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: {
          kind: 'block',
          blockKind: 'agent_blocked',
          reason: `The agent did not resolve the conflicts with ${baseBranch}. Nothing was pushed.\n\n- src/x.txt: it still has conflict markers`,
        },
      });
      expect(calls()).toHaveLength(2);
      expect(remoteHead()).toBe(headSha);
    });

    it.each<[string, string, number]>([
      ['blocks when it still has markers', ':', 0],
      ['pushes it once it is resolved', `${RESOLVE}; git commit -qam Resolve`, 1],
    ])(
      'sends back a merge that nobody asked for and that has markers, and %s',
      async (_name, shell, pushes) => {
        const merging =
          'git merge -q "origin/$(git for-each-ref --format="%(refname:lstrip=3)" refs/remotes)"';
        const first = answer({ general_comment: 'Merged.' }, `${merging} || git commit -qam Merge`);
        const alone = { update: false, signals: ['merge_conflict' as const] };
        const steps = [first, answer({ general_comment: 'Merged.' }, shell)];
        const opened = await openUpdate(steps, SIDES, {}, alone);
        const [asked, again] = opened.calls();
        expect(asked?.prompt).toContain(`do not merge ${opened.baseBranch}`);
        expect(again?.prompt).toContain('src/x.txt: it still has conflict markers; remove the markers');
        if (pushes === 0) {
          expect(planOf(opened.planned)).toMatchObject({
            commit: null,
            result: { blockKind: 'agent_blocked', reason: expect.stringContaining('Nothing was pushed.') },
          });
          return;
        }
        // One commit: the one with the markers is not part of the branch.
        expect((await publish(opened)).made).toMatchObject({
          parents: [{ sha: opened.headSha }, { sha: opened.baseSha }],
          commit: { author: { name: 'robot', email: '2+robot@users.noreply.localhost' } },
        });
      },
    );

    it('blocks where the agent put the files back to before the merge', async () => {
      const undo = answer({ general_comment: 'Done.' }, 'git reset -q --hard; git clean -qfd');
      const { planned } = await openUpdate([undo, undo]);
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: { blockKind: 'agent_blocked', reason: expect.stringContaining('src/new.txt') },
      });
    });

    it('blocks with the question of an agent that cannot decide', async () => {
      const { planned } = await openUpdate([answer({ blocked_reason: 'Which line?' })]);
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: { blockKind: 'agent_blocked', reason: 'Which line?' },
      });
    });

    it('keeps both parents when the tests fail on the merge at first', async () => {
      const tests = { 'test.sh': '#!/bin/sh\ngrep -q right src/y.txt\n' };
      const mend = answer({ general_comment: 'Now.' }, 'echo right > src/y.txt');
      const first = answer({ general_comment: 'Updated.' }, RESOLVE);
      const sides = { ...SIDES, ours: { ...SIDES.ours, ...tests } };
      const opened = await openUpdate([first, mend], sides, { requiredTests: 'test.sh' });
      const [, second] = opened.calls();
      expect(second?.prompt).toContain('required tests of the repository fail');
      expect(second?.prompt).not.toContain('BEGIN CONFLICTS');
      const { made, sha } = await publish(opened);
      expect(made).toMatchObject({ parents: [{ sha: opened.headSha }, { sha: opened.baseSha }] });
      for (const path of ['src/x.txt', 'src/new.txt', 'src/y.txt'])
        expect(await ada.request('GET', `/repos/${REPO}/contents/${path}?ref=${sha}`)).toMatchObject({
          path,
        });
    });
  });
});
