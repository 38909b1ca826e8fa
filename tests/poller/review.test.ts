import type { Finding } from '@mergexo/core/review';
import { ReviewContext, ReviewFixContext } from '@mergexo/core/turns';
import { openDatabase } from '@mergexo/state';
import { eventually } from '@mergexo/testkit';
import { aFinding, playFix, playReview } from '../stage/review-play.js';
import { createReviewScene, type ReviewScene } from '../stage/review-scene.js';
import { NAME, type StageOptions } from '../stage/stage.js';

const FIXED_FILES = { 'fix.txt': 'checked\ntwo\nthree\n' };

let scene: ReviewScene;
const setUp = async (options?: StageOptions) => {
  scene = await createReviewScene(options);
};

/** Plays a review round that requests changes, and posts it. */
const reject = async (...findings: Partial<Finding>[]) => {
  await playReview(scene.stage, () =>
    findings.length === 0 ? [aFinding()] : findings.map((finding) => aFinding(finding)),
  );
  await scene.settle();
  await scene.poll();
};
const makeFix = async (files: Record<string, string> = FIXED_FILES) => {
  const fixed = await playFix(scene.stage, { files });
  await scene.settle();
  await scene.poll();
  return fixed;
};
/** Returns the context of the turn that waits for a worker. */
const contextOf = (kind: 'review' | 'review_fix') => {
  const turn = scene.stage.state.listTurnsInState('open').find((open) => open.kind === kind);
  return scene.stage.state.readTurnContext(turn?.turnKey ?? '');
};

/** Plays three review rounds with two fixes in between. The reviewer reports a new finding each time. */
async function tellStory() {
  await setUp();
  const firstHead = scene.pull().headSha ?? '';
  await reject(
    { suggestion: 'checked' },
    { line: 999, category: 'tests', body: 'Nothing tests it.' },
    { line: 2, severity: 'low', category: 'quality', body: 'Misspelt.' },
  );
  const asked = ReviewFixContext.parse(contextOf('review_fix'));
  const openedAfterReview = scene.open();
  const [root] = await scene.reviewComments();
  const firstStatus = await scene.status(firstHead);
  await makeFix({ 'fix.txt': 'checked\ntwo\n' });
  const secondHead = scene.pull().headSha ?? '';
  const openedAfterFix = scene.open();
  const again = ReviewContext.parse(contextOf('review'));
  const answers = (await scene.reviewComments()).filter(({ rootId }) => rootId === root?.id);
  const summary = await scene.comments();
  const resolved = scene.resolvedThreads();
  await reject({ line: 2, category: 'quality', body: 'Empty names are taken as names.' });
  await makeFix({ 'fix.txt': 'checked\nnamed\nthree\n' });
  const thirdHead = scene.pull().headSha ?? '';
  await reject({ line: 3, category: 'architecture', body: 'The parser talks to the disk.' });
  for (let i = 0; i < 4; i += 1) {
    await scene.settle();
    await scene.poll();
  }
  return {
    heads: [firstHead, secondHead, thirdHead],
    asked,
    again,
    openedAfterReview,
    openedAfterFix,
    root,
    firstStatus,
    answers,
    summary,
    resolved,
    reviews: await scene.reviews(),
    comments: await scene.comments(),
    labels: await scene.labels(),
    pulls: await scene.stage.github.fetchPullsOfBranch(NAME, scene.branch),
  };
}

describe('the AI review loop: a reviewer who always reports another finding', () => {
  let story: Awaited<ReturnType<typeof tellStory>>;
  beforeAll(async () => {
    story = await tellStory();
  });
  afterAll(() => scene.stage.close());

  it('US-1: a rejection becomes one fix on the branch of the pull request, with the comments as its context', () => {
    expect(story.openedAfterReview).toEqual(['review_fix']);
    const { findings, branch, headSha, metadata } = story.asked;
    expect({ branch, headSha }).toEqual({ branch: scene.branch, headSha: story.heads[0] });
    expect(metadata.fix_cycle).toBe(0);
    expect(findings[0]).toMatchObject({ path: 'fix.txt', line: 1, body: aFinding().body });
    expect(story.heads[1]).not.toBe(story.heads[0]);
  });

  it('US-2: MergeXO reviews the pushed fix again, with the next cycle and the whole conversation', () => {
    const { again, heads } = story;
    expect(story.openedAfterFix).toEqual(['review']);
    expect(again).toMatchObject({ round: 2, reviewedSha: heads[0], headSha: heads[1], fixesLeft: 1 });
    expect(again.earlier[0]).toMatchObject({ status: 'fixed', note: 'Done.', lastRound: 1 });
    expect(scene.events('re_review_created')[0]).toMatchObject({
      head_sha: heads[1],
      metadata: { pr_number: scene.pr, fix_cycle: 1 },
    });
  });

  it('US-3: after the last fix, MergeXO asks for a human review and opens no further turn', () => {
    expect(scene.pull()).toMatchObject({ humanReviewRequired: true, status: 'awaiting_feedback' });
    expect(scene.events('max_fix_cycles_exceeded')).toMatchObject([
      { human_review_required: true, fix_cycle: 2, max_fix_cycles: 2 },
    ]);
    expect(scene.open()).toEqual([]);
  });

  it('US-4: the fix gets the review as it is on GitHub, and each comment with its file and line', () => {
    const { review, findings } = story.asked;
    expect(review.url).toBe(story.reviews[0]?.url);
    expect(review.body).toContain('SUMMARY: Read all of it.');
    expect(review.body).not.toContain('mergexo-meta');
    expect(findings.map(({ path, line, suggestion }) => [path, line, suggestion])).toEqual([
      ['fix.txt', 1, 'checked'],
      ['fix.txt', 999, null],
      ['fix.txt', 2, null],
    ]);
  });

  it('FR-1: a fix carries its metadata', () => {
    const { metadata } = story.asked;
    expect(metadata).toMatchObject({
      pr_number: scene.pr,
      repo: NAME,
      branch: scene.branch,
      fix_cycle: 0,
      max_fix_cycles: 2,
      implementation_run_id: scene.runId,
      project_id: scene.stage.repo.id,
    });
    expect(JSON.parse(metadata.review_comments)).toMatchObject({
      summary: 'Read all of it.',
      findings: [{ path: 'fix.txt', line: 1, body: aFinding().body }, { line: 999 }, { line: 2 }],
    });
    expect(scene.events('review_fix_created')[0]).toMatchObject({ head_sha: story.heads[0], metadata });
  });

  it('FR-2: the evaluator reads each rejection, opens a fix below the limit, and asks for a human review at it', () => {
    expect(scene.events('work_rejected')).toMatchObject([
      { fix_cycle: 0, findings_count: 3, severity: 'high', blocking: [{ path: 'fix.txt' }, { line: 999 }] },
      { fix_cycle: 1, findings_count: 1 },
      { fix_cycle: 2, findings_count: 1, max_fix_cycles: 2 },
    ]);
    expect(scene.events('review_fix_created')).toHaveLength(2);
    expect(scene.events('max_fix_cycles_exceeded')).toHaveLength(1);
  });

  it('FR-3: the context of a fix has all parts of its prompt', () => {
    expect(story.asked).toMatchObject({
      issue: { number: scene.issue },
      pull: { number: scene.pr, baseBranch: 'main' },
      session: { adapter: 'command', threadId: 't' },
      stateSummary: 'so far',
    });
  });

  it('FR-4: a fix with a diff answers each finding in its thread, and resolves the threads of fixed findings', () => {
    const sha = story.heads[1];
    expect(scene.events('review_fix_completed')).toMatchObject([
      { fix_cycle: 0, sha, fixed: 3, wontfix: 0, disputed: 0 },
      { fix_cycle: 1, sha: story.heads[2], fixed: 1 },
    ]);
    expect(story.answers.map(({ body }) => body)).toEqual([
      expect.stringContaining(`Fixed in ${sha}.\n\nDone.`),
    ]);
    expect(story.resolved).toEqual([story.root?.id]);
    expect(story.summary).toEqual([
      expect.stringMatching(/`fix.txt:999`: Fixed in \w+\. Done\.\n- `fix.txt:2`: Fixed in/),
    ]);
  });

  it('FR-5: at the limit the event has the required text, and people see a comment, a label and a review request', async () => {
    const text = `PR #${scene.pr} exceeded max fix cycles (2) — requires human review`;
    expect(scene.events('max_fix_cycles_exceeded')).toMatchObject([{ text }]);
    const note = story.comments.at(-1);
    expect(note).toContain(text);
    expect(note).toContain('Reviews: 3. Fixes pushed: 2.');
    expect(note).toContain('`fix.txt:3` · **high** · architecture: The parser talks to the disk.');
    expect(note).toContain('/mergexo resume');
    expect(story.labels).toEqual(['agent:human-review']);
    expect(await scene.stage.github.fetchRequestedReviewers(NAME, scene.pr)).toEqual(['alice']);
  });

  it('FR-6: the review after a fix has the same pull request and the same metadata', () => {
    const [first] = scene.events('re_review_created');
    expect(first).toEqual({ head_sha: story.heads[1], metadata: { ...story.asked.metadata, fix_cycle: 1 } });
  });

  it('NFR-1: MergeXO posts a review once, in the usual format, with line comments and a commit status', () => {
    const [review] = story.reviews;
    expect(review).toMatchObject({ state: 'commented', commitId: story.heads[0] });
    expect(review?.body).toMatch(/^\*\*Changes requested\.\*\* Read all of it\.\n/);
    expect(review?.body).toContain(
      '\nREVIEW_RESULT: changes_requested\nFINDINGS_COUNT: 3\nSEVERITY: high\nSUMMARY: Read all of it.\n',
    );
    expect(review?.body).toContain('`fix.txt:999` · **high** · tests');
    expect(review?.body).toContain('<summary>1 low-severity finding</summary>');
    expect(story.root?.body).toContain('**high** · security · blocking');
    expect(story.root?.body).toContain('```suggestion\nchecked\n```');
    expect(story.firstStatus).toMatchObject({
      state: 'failure',
      description: '2 blocking findings',
      url: expect.stringContaining(`#pullrequestreview-${review?.id}`),
    });
  });

  it('NFR-4: MergeXO records an event for every step of the loop', () => {
    const told = scene.stage.state
      .listEventsOfIssue(scene.stage.repo.id, scene.issue)
      .map(({ type }) => type)
      .filter((type) => /^(work_|review_fix|re_review|max_fix)/.test(type));
    const round = ['work_rejected', 'review_fix_created', 'review_fix_completed', 're_review_created'];
    expect(told).toEqual([...round, ...round, 'work_rejected', 'max_fix_cycles_exceeded']);
  });

  it('success: max cycles enforced: MergeXO makes exactly 2 fixes, 3 reviews, 1 notice and 1 label, then stops', () => {
    expect(new Set(story.heads).size).toBe(3);
    expect(story.reviews).toHaveLength(3);
    // One comment lists the findings without a thread, and the other is the final notice.
    expect(story.comments).toHaveLength(2);
    expect(story.comments.filter((body) => body.includes('asks a person to decide'))).toHaveLength(1);
    expect(story.labels).toHaveLength(1);
    expect(scene.open()).toEqual([]);
  });

  it('success: review comments parsed: the fix gets the comments on the pull request', () => {
    const said = [story.root?.body, story.reviews[0]?.body].join('\n');
    for (const { body } of story.asked.findings) expect(said).toContain(body);
  });

  it('success: branch reused: all fixes are on the branch of the same pull request', () => {
    expect(story.pulls).toHaveLength(1);
    expect(story.pulls[0]).toMatchObject({ number: scene.pr, headSha: story.heads[2] });
  });
});

describe('the AI review loop, in the poller', () => {
  afterEach(() => scene.stage.close());

  it('US-5: an approval opens no turn', async () => {
    await setUp();
    await playReview(scene.stage, () => [aFinding({ severity: 'medium' })]);
    await scene.settle();
    for (let i = 0; i < 3; i += 1) await scene.poll();
    expect(scene.open()).toEqual([]);
    expect(scene.events('work_approved')).toMatchObject([{ fix_cycle: 0, findings_count: 1 }]);
    expect(scene.events('work_rejected')).toEqual([]);
    expect(await scene.status(scene.pull().headSha ?? '')).toMatchObject({ state: 'success' });
  });

  it.each([
    [
      'no diff',
      { failure: { cause: 'no_changes' as const, reason: 'The agent changed no file.' } },
      'no_changes',
    ],
    ['failing tests', { failure: { cause: 'other' as const, reason: 'The tests fail.' } }, 'other'],
  ])('FR-4: a fix with %s fails once: no retry, no review, one comment', async (_what, how, cause) => {
    await setUp();
    await reject();
    await playFix(scene.stage, {
      ...how,
      answer: () => ({ resolution: 'wontfix', note: 'It is meant so.' }),
    });
    await scene.settle();
    for (let i = 0; i < 3; i += 1) {
      await scene.poll();
      await scene.settle();
    }
    expect(scene.events('review_fix_failed')).toMatchObject([{ fix_cycle: 0, cause }]);
    expect(scene.events('re_review_created')).toEqual([]);
    expect(scene.open()).toEqual([]);
    const notes = await scene.comments();
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain(how.failure.reason);
    expect(notes[0]).toContain('(wontfix: It is meant so.)');
    expect(scene.pull()).toMatchObject({ status: 'awaiting_feedback', humanReviewRequired: true });
  });

  it('FR-4: an agent error fails the fix at once, without paying for a second attempt', async () => {
    await setUp();
    await reject();
    await scene.stage.perform(['review_fix'], async () => ({ failure: 'agent' }));
    await scene.poll();
    await scene.settle();
    expect(scene.events('review_fix_failed')).toMatchObject([{ cause: 'agent_error' }]);
    expect(scene.events('review_escalated')).toMatchObject([{ kind: 'fix_failed' }]);
    expect(scene.stage.state.listCarriedTurns()).toEqual([]);
    expect(scene.pull().status).toBe('awaiting_feedback');
  });

  it('FR-2: only a recorded rejection opens a fix', async () => {
    await setUp();
    await playReview(scene.stage, () => [aFinding()]);
    await scene.settle();
    const database = openDatabase(scene.stage.databasePath);
    const removed = database.sqlite
      .prepare("delete from runtime_events where event_type = 'work_rejected'")
      .run();
    database.close();
    expect(removed.changes).toBe(1);
    await scene.poll();
    expect(scene.open()).toEqual([]);
  });

  it('a fix passes its own state summary to later turns', async () => {
    await setUp();
    await reject();
    await playFix(scene.stage, { files: FIXED_FILES, stateSummary: 'The input is checked now.' });
    await scene.settle();
    await scene.poll();
    expect(scene.stage.state.readSession(scene.runId)?.stateSummary).toBe('The input is checked now.');
  });

  it('FR-7: a fix fails gracefully if its branch was deleted, and MergeXO does not recreate the branch', async () => {
    await setUp();
    await reject();
    await scene.stage.alice.deleteBranch(NAME, scene.branch);
    const { answer } = await makeFix();
    expect(answer.kind).toBe('refused');
    expect(scene.events('review_fix_failed')).toMatchObject([{ cause: 'branch_gone' }]);
    expect(scene.open()).toEqual([]);
    expect(scene.pull().status).toBe('closed');
  });

  it('FR-8: a fix ignores comments that people deleted on GitHub', async () => {
    await setUp();
    await reject({}, { line: 2, body: 'Another thing.' });
    const [first] = await scene.reviewComments();
    await scene.stage.alice.deleteReviewComment(NAME, first?.id ?? 0);
    let told: string[] = [];
    await playFix(scene.stage, {
      files: FIXED_FILES,
      onBegun: ({ findings }) => {
        told = findings.map(({ body }) => body);
      },
    });
    expect(told).toEqual(['Another thing.']);
    // Deleting the comment dismissed the finding, so MergeXO does not raise it again.
    await scene.settle();
    await scene.poll();
    await playReview(scene.stage, () => [aFinding()]);
    await scene.settle();
    expect((await scene.reviews()).at(-1)?.body).toContain('REVIEW_RESULT: approved');
  });

  it('FR-8: a fix gets the text of a finding as people edited it on GitHub', async () => {
    await setUp();
    await reject({}, { line: 2, body: 'Another thing.' });
    const edit = (body: string, nth: number) => async () => {
      const comment = (await scene.reviewComments())[nth];
      const path = `/repos/${NAME}/pulls/comments/${comment?.id}`;
      await scene.stage.alice.request('PATCH', path, { body });
    };
    // The first edit is read when the turn opens, and the second when the turn begins.
    await edit('Only the header is trusted.', 0)();
    await scene.poll();
    await edit('Rename it, too.', 1)();
    let told: string[] = [];
    await playFix(scene.stage, {
      files: FIXED_FILES,
      onBegun: ({ findings }) => {
        told = findings.map(({ body }) => body);
      },
    });
    expect(told).toEqual(['Only the header is trusted.', 'Rename it, too.']);
  });

  it('NFR-2: an evaluator that runs 20 times opens one fix, one escalation and one review', async () => {
    await setUp({ review: 'enabled = true\nmax_fix_cycles = 1' });
    const often = async () => {
      for (let i = 0; i < 20; i += 1) await scene.stage.poll();
      scene.stage.advance(60_000);
      await scene.settle();
    };
    await often();
    expect(scene.open()).toEqual(['review']);
    await reject();
    await often();
    expect(scene.open()).toEqual(['review_fix']);
    expect(scene.events('review_fix_created')).toHaveLength(1);
    await makeFix();
    await reject({ line: 2, body: 'Another thing.' });
    await often();
    expect(scene.events('max_fix_cycles_exceeded')).toHaveLength(1);
    expect(await scene.comments()).toHaveLength(1);
    expect(await scene.reviews()).toHaveLength(2);
  });

  it('NFR-3: a fix does not wait for unreadable comments, but uses the recorded comments', async () => {
    await setUp();
    await reject();
    const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
    const held = scene.stage.twin.control.fault({ kind: 'hold', route });
    const first = playFix(scene.stage, { files: FIXED_FILES });
    await eventually(() => expect(held.waiting()).toBe(1));
    // A `begin` that times out is retried and joins the same read.
    let { answer } = await first;
    while (answer.kind === 'retry-later') ({ answer } = await playFix(scene.stage, { files: FIXED_FILES }));
    expect(answer).toMatchObject({ kind: 'ok' });
    held.release();
  });

  it('NFR-3: MergeXO sends no request for a pull request that has nothing due', async () => {
    await setUp();
    await playReview(scene.stage, () => []);
    await scene.settle();
    for (let i = 0; i < 5; i += 1) await scene.poll();
    const asked = () => ({ ...scene.stage.twin.control.ledger('robot') }).counted;
    const before = asked();
    for (let i = 0; i < 5; i += 1) await scene.poll();
    expect(asked()).toBe(before);
  });

  it('success: end-to-end loop works: MergeXO rejects, fixes, reviews again and approves, then stops', async () => {
    await setUp();
    await reject();
    await makeFix();
    await playReview(scene.stage, () => []);
    await scene.settle();
    for (let i = 0; i < 3; i += 1) await scene.poll();
    expect(scene.open()).toEqual([]);
    expect((await scene.reviews()).map(({ body }) => body.split('\n')[0])).toEqual([
      expect.stringContaining('**Changes requested.**'),
      expect.stringContaining('**Approved.**'),
    ]);
    expect(await scene.status(scene.pull().headSha ?? '')).toMatchObject({ state: 'success' });
    expect(scene.pull()).toMatchObject({ status: 'awaiting_feedback', humanReviewRequired: false });
  });

  it('stops early when a fix changes nothing about the blocking findings', async () => {
    await setUp();
    await reject();
    await makeFix({ 'other.txt': 'x\n' });
    await reject();
    await scene.settle();
    expect(scene.events('review_escalated')).toMatchObject([{ kind: 'no_progress' }]);
    expect(scene.events('max_fix_cycles_exceeded')).toEqual([]);
    const [note] = await scene.comments();
    expect(note).toContain('made no progress');
  });

  it('names a pause in the status, resumes both at once, and names a wider pause that still holds', async () => {
    await setUp({ review: 'enabled = true\nmax_fix_cycles = 0' });
    await reject();
    await scene.settle();
    const command = async (text: string): Promise<string | undefined> => {
      scene.stage.advance(1_000);
      await scene.stage.alice.comment(NAME, scene.pr, `/mergexo ${text}`);
      await scene.poll();
      await scene.settle();
      return (await scene.comments()).at(-1);
    };
    expect(await command('pause')).toContain('Paused.');
    expect(await command('status')).toContain(
      'waiting for: an operator to resume the issue (paused by alice)',
    );
    expect(await command('resume')).toContain('Resumed. MergeXO resumes the review.');
    expect(scene.pull().humanReviewRequired).toBe(false);
    const { state, repo } = scene.stage;
    state.recordPause({ repoId: repo.id, issueNumber: 0, since: 1, by: 'cli', reason: null });
    expect(await command('resume')).toContain(
      'This issue still waits for an operator to resume the repository',
    );
    expect(await command('pause')).toContain('Paused.');
    expect(await command('resume')).toContain('Resumed this issue, but it still waits for an operator');
  });

  it('cancels the fix of a rejected head when an operator skips its review', async () => {
    await setUp();
    await reject();
    await scene.settle();
    await scene.poll();
    expect(scene.open()).toEqual(['review_fix']);
    const { headSha } = scene.pull();
    await scene.stage.alice.comment(NAME, scene.pr, '/mergexo skip-review');
    await scene.poll();
    await scene.settle();
    expect(scene.open()).toEqual([]);
    expect(await scene.status(headSha ?? '')).toMatchObject({ state: 'success' });
  });

  it('continues only after /mergexo resume, and answers a person’s feedback until then', async () => {
    await setUp({ review: 'enabled = true\nmax_fix_cycles = 0' });
    await reject();
    await scene.settle();
    await scene.stage.alice.comment(NAME, scene.pr, 'What about line 2?');
    await scene.poll();
    await scene.poll();
    expect(scene.open()).toEqual(['implementation_feedback']);
    await scene.stage.answer(async () => ({
      result: { kind: 'answer', replies: [], general: 'It is fine.' },
      sha: null,
    }));
    await scene.settle();
    await scene.poll();
    expect(scene.open()).toEqual([]);
    expect(await scene.labels()).toContain('agent:human-review');

    scene.stage.advance(1_000);
    await scene.stage.alice.comment(NAME, scene.pr, '/mergexo resume');
    await scene.poll();
    await scene.settle();
    expect(scene.pull()).toMatchObject({ humanReviewRequired: false });
    expect((await scene.comments()).at(-1)).toContain('MergeXO resumes the review.');
    expect(await scene.labels()).not.toContain('agent:human-review');
    await scene.poll();
    await scene.settle();
    // With `max_fix_cycles = 0`, the resumed loop escalates again and records a second event.
    expect(scene.events('max_fix_cycles_exceeded')).toHaveLength(2);
    expect(await scene.labels()).toContain('agent:human-review');
  });

  it.each<[string, (root: number) => Promise<unknown>]>([
    ['by a command', (root) => scene.stage.alice.reply(NAME, root, '/mergexo dismiss')],
    [
      'by resolving the thread',
      (root) => scene.stage.openDoor('alice').resolveReviewThread(NAME, scene.pr, root),
    ],
  ])('lets a person permanently dismiss a finding in its thread %s', async (_name, dismiss) => {
    await setUp();
    await reject();
    const [root] = await scene.reviewComments();
    await dismiss(root?.id ?? 0);
    await scene.poll();
    await scene.settle();
    const { answer } = await makeFix();
    expect(answer).toMatchObject({ kind: 'refused', reason: 'people dismissed every blocking finding' });
    expect(scene.open()).toEqual([]);
    expect(scene.stage.state.listReviewFindings(scene.stage.repo.id, scene.pr)).toMatchObject([
      { status: 'dismissed' },
    ]);
  });

  it('does not mistake a thread that MergeXO resolved for a person’s dismissal', async () => {
    await setUp();
    await reject();
    await makeFix();
    const [root] = await scene.reviewComments();
    expect(scene.resolvedThreads()).toEqual([root?.id]);
    await reject();
    expect(scene.events('review_escalated')).toMatchObject([{ kind: 'no_progress' }]);
    expect(scene.stage.state.listReviewFindings(scene.stage.repo.id, scene.pr)).toMatchObject([
      { status: 'open' },
    ]);
  });

  it('does not run if the configuration disables it', async () => {
    await setUp({ review: 'enabled = true', repoKeys: 'review_enabled = false' });
    for (let i = 0; i < 3; i += 1) await scene.poll();
    expect(scene.open()).toEqual([]);
  });
});
