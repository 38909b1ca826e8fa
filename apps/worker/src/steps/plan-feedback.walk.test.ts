import type { RepoConfig } from '@mergexo/config';
import { type FeedbackContext, type Plan, PlanParcel, type TurnKind } from '@mergexo/core/turns';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type { Planned } from './make-plan.js';
import { createPlanFeedback } from './plan-feedback.js';
import type { PlanTools } from './task.js';
import { aFeedbackContext, aReviewEvent } from './testing/a-feedback-context.js';
import { aRemote, createScene, plan, REPO } from './testing/scene.js';
import { LOST_SESSION, SECRET, type Step, say, TURN_KEY } from './testing/stage.js';

const answer = (output: object, shell?: string): Step =>
  say({ review_replies: [], state_summary: 'now I know', ...output }, shell);
const reply = (body: string, id = 11) => ({ review_replies: [{ review_comment_id: id, body }] });
const EDIT = 'echo better > src/a.txt';

describe('a feedback turn', () => {
  const scene = createScene(createTemporaryDirectory(), () => startTwin({ seed: aRemote() }));

  /** Runs one turn on its own branch; the agent performs the steps in order. */
  async function open({
    context,
    kind = 'implementation_feedback',
    tools,
    ...script
  }: Parameters<typeof scene.openBranch>[0] & {
    context?: Partial<FeedbackContext> | (() => Partial<FeedbackContext>);
    kind?: TurnKind;
    tools?: Pick<PlanTools, 'sessionMode'>;
  }) {
    const branch = await scene.openBranch(script);
    const makePlan = createPlanFeedback({ ...branch.tools, ...tools });
    const { branch: name, headSha } = branch;
    const planned = await plan(
      makePlan,
      kind,
      aFeedbackContext({ branch: name, headSha, ...(typeof context === 'function' ? context() : context) }),
    );
    return { ...branch, planned };
  }

  function planOf(planned: Planned): Plan {
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    return PlanParcel.parse(planned.parcel).plan;
  }

  it('gives the agent the whole text of a comment that is too long for the prompt', async () => {
    const read = 'grep -ho "the end" "$HOME"/../handouts/* > src/a.txt';
    const { planned, calls } = await open({
      steps: [answer({ ...reply('Read it.'), commit_message: 'Copy the end' }, read)],
      context: { events: [aReviewEvent(11, `${'x'.repeat(300_000)} the end`)] },
    });
    expect(calls()[0]?.prompt).toMatch(
      /\(first \d+ of 300008 characters; the whole text is in \S+\/text-\d\.txt\)/,
    );
    const { commit } = planOf(planned);
    expect(commit).not.toBeNull();
  });

  const TEN = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
  const fileOf = (lines: readonly string[]) => ({ 'src/long.txt': `${lines.join('\n')}\n` });

  it('shows the current code of an outdated comment', async () => {
    const shas: string[] = [];
    const { calls } = await open({
      steps: [answer(reply('Done since.'))],
      prepare: async (branch) => {
        shas.push(await scene.ada.pushFiles(REPO, branch, fileOf(TEN)));
        return scene.ada.pushFiles(
          REPO,
          branch,
          fileOf(['new', ...TEN.slice(0, 4), 'five', ...TEN.slice(5)]),
        );
      },
      context: () => {
        const outdated = { sha: shas[0] ?? '', startLine: 4, line: 5 };
        return { events: [{ ...aReviewEvent(11), path: 'src/long.txt', line: null, outdated }] };
      },
    });
    const [call] = calls();
    expect(call?.prompt).toContain(`(outdated: made on lines 4-5 of commit ${shas[0]?.slice(0, 12)}`);
    expect(call?.prompt).toMatch(
      /BEGIN CURRENT CODE FOR COMMENT 11 AT src\/long\.txt:1-12\nnew\nline 1\n[\s\S]*line 4\nfive\n/,
    );
    expect(call?.turn.new_events[0]).toMatchObject({ is_outdated: true, line: null });
  });

  it('lets the agent apply a suggestion for several lines exactly', async () => {
    const apply = `node -e '
      const { readFileSync, writeFileSync } = require("node:fs");
      const request = JSON.parse(readFileSync(process.env.HOME + "/calls.jsonl", "utf8"));
      const [{ path, suggestions: [{ start_line, line, replacement }] }] = request.turn.new_events;
      const lines = readFileSync(path, "utf8").split("\\n");
      lines.splice(start_line - 1, line - start_line + 1, ...replacement.split("\\n"));
      writeFileSync(path, lines.join("\\n"));'`;
    const body = 'Shorter:\n```suggestion\n  three to five\n\n```';
    const { planned, calls, git, repo } = await open({
      steps: [answer({ ...reply('Applied.'), commit_message: 'Apply the suggestion' }, apply)],
      files: fileOf(TEN),
      context: () => ({
        events: [{ ...aReviewEvent(11, body), path: 'src/long.txt', startLine: 3, line: 5 }],
      }),
    });
    expect(calls()[0]?.prompt).toContain(
      'BEGIN SUGGESTION IN COMMENT 11: REPLACEMENT FOR LINES 3-5 OF src/long.txt\n  three to five\n\nEND SUGGESTION',
    );
    const { commit } = planOf(planned);
    const slot = await git.leaseSlot(repo, {
      author: { name: 'a', email: 'a@b' },
      signal: new AbortController().signal,
    });
    try {
      const content = await slot.readCommitted({
        sha: commit?.sha ?? '',
        path: 'src/long.txt',
        maxBytes: 1_000,
      });
      expect(content?.toString()).toBe(
        [...TEN.slice(0, 2), '  three to five', '', ...TEN.slice(5), ''].join('\n'),
      );
    } finally {
      await slot.release();
    }
  });

  it('answers with a commit on the branch, which the push sends to GitHub', async () => {
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
    const commit = JSON.stringify(
      await scene.ada.request('GET', `/repos/${REPO}/commits/${plan.commit.sha}`),
    );
    expect(commit).toContain(`MergeXO-Turn: ${TURN_KEY}`);
    expect(commit).not.toContain('Fixes #7');
  });

  it('replies to the first comment of each thread, without a commit if no file changed', async () => {
    const events = [{ ...aReviewEvent(11), rootId: 8 }];
    const { planned } = await open({ steps: [answer(reply('On purpose.'))], context: { events } });
    expect(planned).toMatchObject({ parcel: { bundle: null } });
    expect(planOf(planned)).toMatchObject({
      commit: null,
      result: { replies: [{ commentId: 11, rootId: 8 }] },
    });
  });

  it('sends a vague reply back to the agent once, and then posts it anyway', async () => {
    const empty = answer(reply('Done.'));
    const { planned, calls } = await open({ steps: [empty, empty] });
    expect(planOf(planned).result).toMatchObject({ replies: [{ body: 'Done.' }] });
    expect(calls()).toHaveLength(2);
    expect(calls()[1]?.prompt).toContain('the reply to comment 11: say what you changed and where');
  });

  it('commits edits even if the agent gives no commit message', async () => {
    const { planned } = await open({ steps: [answer(reply('Done in a.txt.'), EDIT)] });
    expect(planOf(planned).commit).not.toBeNull();
  });

  it("accepts the agent's own commit", async () => {
    const shell = `${EDIT}; git -c user.name=a -c user.email=a@b.c commit -qam mine`;
    const { planned } = await open({ steps: [answer(reply('Done in a.txt.'), shell)] });
    expect(planOf(planned).commit).not.toBeNull();
  });

  it('keeps secrets out of the plan and the commit', async () => {
    const done = { ...reply(`It is ${SECRET}.`), commit_message: `Use ${SECRET}` };
    const { planned, git, repo } = await open({ steps: [answer(done, EDIT)] });
    const plan = planOf(planned);
    expect(JSON.stringify(plan)).not.toContain(SECRET);
    if (planned.kind !== 'planned' || plan.commit === null) throw new Error('no commit');
    await git.publish(repo, { ...plan.commit, bundle: Buffer.from(planned.parcel.bundle ?? '', 'base64') });
    const commit = await scene.ada.request('GET', `/repos/${REPO}/commits/${plan.commit.sha}`);
    expect(JSON.stringify(commit)).toContain('Use [redacted]');
  });

  describe('with unusable output', () => {
    const FABRICATED = 'Fixed in 1a2b3c4d.';
    it.each<[string, Step, string]>([
      ['an event without an answer', answer({ general_comment: '  ' }), 'review comment 11 has neither'],
      [
        'an id from another turn',
        answer({ ...reply('Hm.', 99), general_comment: 'Hm.' }),
        'comment 99 is not',
      ],
      ['a made-up commit', answer(reply(FABRICATED)), '1a2b3c4d is not a commit on this branch'],
      ['a whole made-up sha', answer(reply(`In ${'d'.repeat(40)}`)), `${'d'.repeat(40)} is not a commit`],
      [
        'a message without edits',
        answer({ ...reply('Done in a.txt.'), commit_message: 'Do it' }),
        'no file differs',
      ],
      ['an output of the wrong shape', answer({ review_replies: 'none' }), 'review_replies'],
    ])(
      'sends %s back to the agent once, in the same session, and counts its usage',
      async (_name, bad, complaint) => {
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
      },
    );

    it('fails as unusable, not as a crashed agent, after one repair', async () => {
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

    it('rejects the sha of a commit on another branch', async () => {
      const elsewhere = await scene.ada.pushFiles(REPO, 'agent/bugfix/elsewhere', { 'x.txt': 'x' });
      const { planned, calls } = await open({
        steps: [answer(reply(`As in ${elsewhere}.`)), answer(reply('Ok.'))],
      });
      expect([planned.kind, calls().length]).toEqual(['planned', 2]);
    });
  });

  it('accepts the sha of a commit that the branch contains', async () => {
    const base = scene.readHead('main');
    const { calls, planned } = await open({ steps: [answer(reply(`As in ${base}.`))] });
    expect([planned.kind, calls().length]).toEqual(['planned', 1]);
  });

  it.each([
    ['amended', 'git -c user.name=a -c user.email=a@b.c commit -q --amend -m other'],
    ['reset', 'git reset -q --hard HEAD~1'],
    ['deleted', 'rm .git/HEAD'],
  ])('blocks and pushes nothing when the agent’s history was %s', async (_name, shell) => {
    const done = { ...reply('Done in a.txt.'), commit_message: 'Do it' };
    const { planned, calls, headSha, remoteHead } = await open({ steps: [answer(done, shell)] });
    expect(planOf(planned)).toMatchObject({
      commit: null,
      result: { kind: 'block', blockKind: 'history_rewritten', reason: expect.stringContaining(headSha) },
    });
    expect(calls()).toHaveLength(1);
    expect(remoteHead()).toBe(headSha);
  });

  it('blocks with the reason that the agent gives', async () => {
    const { planned } = await open({ steps: [answer({ blocked_reason: 'Which login?' }, EDIT)] });
    expect(planOf(planned)).toMatchObject({
      commit: null,
      result: { kind: 'block', blockKind: 'agent_blocked', reason: 'Which login?', observedSha: null },
    });
  });

  it('retries soon, without asking the agent, when the branch has an unexpected head', async () => {
    const { planned, calls } = await open({ steps: [], context: { headSha: 'e'.repeat(40) } });
    expect(planned).toMatchObject({
      kind: 'failed',
      cause: 'infrastructure',
      reason: expect.stringContaining('MergeXO will retry'),
      retryAfterMs: 15_000,
      usage: { inputTokens: 0 },
    });
    expect(calls).toThrow('calls.jsonl');
  });

  it('starts a new session with the summary when the old session is lost', async () => {
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

  it('starts a new session with the summary in every turn if the session mode is stateless', async () => {
    const tools = { sessionMode: 'stateless' as const };
    const { calls } = await open({ steps: [answer(reply('Hello.'))], tools });
    expect(calls()[0]).toMatchObject({
      session: null,
      prompt: expect.stringContaining('The crash is fixed in a.txt.'),
    });
  });

  it("includes the repository's rules in the prompt", async () => {
    const baseBranch = 'with-rules';
    await scene.ada.pushFiles(REPO, baseBranch, { '.mergexo/prompts/system_base.md': 'Use tabs.' });
    const pull = { ...aFeedbackContext().pull, baseBranch };
    const { calls } = await open({ steps: [answer(reply('Hello.'))], context: { pull } });
    expect(calls()[0]?.prompt).toContain('BEGIN FILE .mergexo/prompts/system_base.md\nUse tabs.\nEND');
  });

  it("does not resume another adapter's session", async () => {
    const session = { adapter: 'codex', threadId: 'thread-7' };
    const { calls } = await open({ steps: [answer(reply('Hello.'))], context: { session } });
    expect(calls()[0]?.session).toBeNull();
  });

  describe('with required tests', () => {
    const TESTS = { 'test.sh': '#!/bin/sh\ngrep -q right src/a.txt\n' };
    const wrong = answer(reply('Done in a.txt.'), 'echo wrong > src/a.txt');

    it('sends failures back to the agent until the tests pass', async () => {
      const { planned, calls } = await openTested([
        wrong,
        answer(reply('Now it is right.'), 'echo right > src/a.txt'),
      ]);
      expect(planOf(planned)).toMatchObject({
        result: { replies: [{ body: 'Now it is right.' }] },
        usage: { inputTokens: 20 },
      });
      expect(calls()[1]?.prompt).toContain("The repository's required tests fail");
    });

    it('blocks and pushes nothing after three repairs', async () => {
      const { planned, calls } = await openTested([wrong, wrong, wrong, wrong, wrong]);
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: { kind: 'block', blockKind: 'tests_failed' },
        usage: { inputTokens: 40 },
      });
      expect(calls()).toHaveLength(4);
    });

    it('blocks with the reason, without asking the agent, when the tests cannot run', async () => {
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

    it('answers on a branch that is older than the tests on its base', async () => {
      const pushed = await scene.ada.pushFiles(REPO, `newer-${scene.turns}`, {
        'late.sh': '#!/bin/sh\nexit 0\n',
      });
      expect(pushed).toMatch(/^[0-9a-f]{40}$/);
      const { pull } = aFeedbackContext();
      const context = { pull: { ...pull, baseBranch: `newer-${scene.turns}` } };
      const { planned } = await open({
        steps: [answer(reply('Done in a.txt.'))],
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

    it('asks the agent to restore the frontmatter', async () => {
      const repaired = answer(
        reply('Done in a.txt.'),
        `printf -- '---\\nissue: 7\\n---\\n# New\\n' > ${path}`,
      );
      const { planned, calls } = await openDesign([ruin, repaired]);
      expect(planOf(planned).commit).not.toBeNull();
      expect(calls()[1]?.prompt).toContain('its frontmatter is missing');
    });

    it('does not complain about frontmatter that was missing before the turn', async () => {
      const { planned, calls } = await openDesign([ruin], { [path]: '# No frontmatter\n' });
      expect([planned.kind, calls().length]).toEqual(['planned', 1]);
    });
  });

  describe('that updates the branch', () => {
    const LINES = 'one\ntwo\nthree\n';
    const SIDES = {
      branchFiles: { 'src/x.txt': `${LINES}ours\n` },
      baseFiles: { 'src/x.txt': `${LINES}theirs\n`, 'src/new.txt': 'new\n' },
    };
    const updateEvent = { ...aReviewEvent(21, '/mergexo update'), kind: 'issue' as const };
    const asked = { ...updateEvent, rootId: null, path: null, line: null, side: null };
    const RESOLVE = `printf '${LINES}ours\ntheirs\n' > src/x.txt`;
    const updated = answer({ general_comment: 'Updated.' });
    const resolved = answer({ general_comment: 'Updated.' }, RESOLVE);

    async function openUpdate(
      steps: Step[] | ((baseSha: string) => Step[]),
      {
        branchFiles,
        baseFiles,
      }: { branchFiles: Record<string, string>; baseFiles: Record<string, string> | null } = SIDES,
      repo: Partial<RepoConfig> = {},
      about: Partial<FeedbackContext> = {},
    ) {
      const baseBranch = `base-${scene.turns + 1}`;
      let [baseSha, number] = ['', 0];
      const script: Step[] = [];
      const prepare = async (branch: string) => {
        baseSha = await scene.ada.pushFiles(REPO, baseBranch, { 'src/x.txt': LINES });
        const head = await scene.ada.push(REPO, { branch, files: branchFiles, from: baseBranch });
        number = await scene.ada.openPull(REPO, { title: 'T', head: branch, base: baseBranch });
        if (baseFiles !== null) baseSha = await scene.ada.pushFiles(REPO, baseBranch, baseFiles);
        script.push(...(Array.isArray(steps) ? steps : steps(baseSha)));
        return head;
      };
      const { pull } = aFeedbackContext();
      const context = { update: true, events: [asked], pull: { ...pull, baseBranch }, ...about };
      const opened = await open({ steps: script, prepare, context, repo });
      const mergeable = () => scene.ada.request('GET', `/repos/${REPO}/pulls/${number}`);
      return { ...opened, baseBranch, baseSha, mergeable };
    }
    type Opened = Awaited<ReturnType<typeof openUpdate>>;

    async function publish({ planned, git, repo }: Opened) {
      const { commit } = planOf(planned);
      if (planned.kind !== 'planned' || commit === null) throw new Error('no commit');
      const bundle = Buffer.from(planned.parcel.bundle ?? '', 'base64');
      expect(await git.publish(repo, { ...commit, bundle, continues: true })).toEqual({ kind: 'pushed' });
      const made = await scene.ada.request('GET', `/repos/${REPO}/commits/${commit.sha}`);
      return { sha: commit.sha, made };
    }

    it("shows the conflicts to the agent, and pushes the agent's resolution as a merge of the base", async () => {
      const opened = await openUpdate([resolved]);
      const { calls, headSha, baseSha, baseBranch, branch, mergeable, git, repo } = opened;
      expect(await mergeable()).toMatchObject({ mergeable: false });
      expect(calls()[0]?.prompt).toContain(
        'BEGIN CONFLICTS\n- src/x.txt: changed on both sides\nEND CONFLICTS',
      );
      const { sha, made } = await publish(opened);
      expect(made).toMatchObject({
        parents: [{ sha: headSha }, { sha: baseSha }],
        commit: {
          message: `Merge branch '${baseBranch}' into ${branch}\n\nMergeXO-Agent: command\nMergeXO-Turn: ${TURN_KEY}`,
        },
      });
      expect(await git.isAncestor(repo, { older: baseSha, newer: sha })).toBe(true);
      expect(await git.isAncestor(repo, { older: headSha, newer: sha })).toBe(true);
      expect(await mergeable()).toMatchObject({ mergeable: true, head: { sha } });
      expect(planOf(opened.planned).result).toEqual({ kind: 'answer', replies: [], general: 'Updated.' });
    });

    it("uses the agent's commit message", async () => {
      const opened = await openUpdate([
        answer({ general_comment: 'Merged.', commit_message: 'Take both lines' }, RESOLVE),
      ]);
      expect((await publish(opened)).made).toMatchObject({
        commit: { message: expect.stringContaining('Take both lines') },
      });
    });

    it('accepts the sha of a commit that the merge adds', async () => {
      const { planned, calls } = await openUpdate((baseSha) => [
        answer({ general_comment: `Merged ${baseSha.slice(0, 12)}.` }, RESOLVE),
      ]);
      expect([planned.kind, calls().length]).toEqual(['planned', 1]);
    });

    it('merges a base without conflicts', async () => {
      const baseFiles = { 'src/new.txt': 'new\n' };
      const opened = await openUpdate([updated], { ...SIDES, baseFiles });
      expect(opened.calls()[0]?.prompt).toContain('without conflicts');
      expect((await publish(opened)).made).toMatchObject({
        parents: [{ sha: opened.headSha }, { sha: opened.baseSha }],
      });
    });

    it('answers without a merge when the branch is up to date', async () => {
      const opened = await openUpdate([updated], { ...SIDES, baseFiles: null });
      expect(opened.calls()[0]?.prompt).toContain('There is nothing to merge');
      expect(planOf(opened.planned)).toMatchObject({ commit: null, result: { general: 'Updated.' } });
    });

    it('sends remaining conflict markers back to the agent once', async () => {
      const opened = await openUpdate([updated, resolved]);
      const [, second] = opened.calls();
      expect(second?.prompt).toContain('src/x.txt: it still has conflict markers');
      expect((await publish(opened)).made).toMatchObject({ parents: [{}, {}] });
    });

    it('blocks with the file names and pushes nothing when conflict markers remain', async () => {
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
      ['blocks when markers remain', ':', 0],
      ['pushes the merge once its conflicts are resolved', `${RESOLVE}; git commit -qam Resolve`, 1],
    ])('sends back an unrequested merge with conflict markers, and %s', async (_name, shell, pushes) => {
      const merging = 'git merge -q "origin/$(git for-each-ref --format="%(refname:lstrip=3)" refs/remotes)"';
      const first = answer({ general_comment: 'Merged.' }, `${merging} || git commit -qam Merge`);
      const alone = { update: false, signals: ['merge_conflict' as const] };
      const steps = [first, answer({ general_comment: 'Merged.' }, shell)];
      const opened = await openUpdate(steps, SIDES, {}, alone);
      const [asked, again] = opened.calls();
      expect(asked?.prompt).toContain(`Do not merge ${opened.baseBranch}`);
      expect(again?.prompt).toContain('src/x.txt: it still has conflict markers; remove the markers');
      if (pushes === 0) {
        expect(planOf(opened.planned)).toMatchObject({
          commit: null,
          result: { blockKind: 'agent_blocked', reason: expect.stringContaining('Nothing was pushed.') },
        });
        return;
      }
      // The commit with the conflict markers is not part of the branch.
      expect((await publish(opened)).made).toMatchObject({
        parents: [{ sha: opened.headSha }, { sha: opened.baseSha }],
        commit: { author: { name: 'robot', email: '2+robot@users.noreply.localhost' } },
      });
    });

    it('blocks when the agent reverts the files to their state before the merge', async () => {
      const undo = answer({ general_comment: 'Done in a.txt.' }, 'git reset -q --hard; git clean -qfd');
      const { planned } = await openUpdate([undo, undo]);
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: { blockKind: 'agent_blocked', reason: expect.stringContaining('src/new.txt') },
      });
    });

    it('blocks with the agent’s question if the agent cannot decide', async () => {
      const { planned } = await openUpdate([answer({ blocked_reason: 'Which line?' })]);
      expect(planOf(planned)).toMatchObject({
        commit: null,
        result: { blockKind: 'agent_blocked', reason: 'Which line?' },
      });
    });

    it('keeps both parents when the tests fail on the first merge', async () => {
      const tests = { 'test.sh': '#!/bin/sh\ngrep -q right src/y.txt\n' };
      const repaired = answer({ general_comment: 'Now it is right.' }, 'echo right > src/y.txt');
      const first = answer({ general_comment: 'Updated.' }, RESOLVE);
      const sides = { ...SIDES, branchFiles: { ...SIDES.branchFiles, ...tests } };
      const opened = await openUpdate([first, repaired], sides, { requiredTests: 'test.sh' });
      const [, second] = opened.calls();
      expect(second?.prompt).toContain("The repository's required tests fail");
      expect(second?.prompt).not.toContain('BEGIN CONFLICTS');
      const { made, sha } = await publish(opened);
      expect(made).toMatchObject({ parents: [{ sha: opened.headSha }, { sha: opened.baseSha }] });
      for (const path of ['src/x.txt', 'src/new.txt', 'src/y.txt'])
        expect(await scene.ada.request('GET', `/repos/${REPO}/contents/${path}?ref=${sha}`)).toMatchObject({
          path,
        });
    });
  });
});
