import { randomInt } from 'node:crypto';
import { fetchResults } from '../fleet/fetch-results.js';
import {
  ANSWERS,
  BRANCH,
  createStory,
  DESIGN_BRANCH,
  DOCUMENT,
  play,
  type Story,
} from '../fleet/implementation-story.js';
import { readGolden } from '../fleet/read-golden.js';
import { renderTranscript } from '../fleet/render-transcript.js';
import { type Kills, startWithKills } from '../fleet/start-with-kills.js';
import { createWalk, REPO, type Walk, WINDOW_SECONDS } from '../fleet/walk.js';

/** To reproduce a failure, set MERGEXO_WALK_SEED to the printed seed. */
const SEED = Number(process.env['MERGEXO_WALK_SEED'] ?? randomInt(1_000_000));
const KILLS = 20;

const KINDS = [
  'design_start',
  'design_feedback',
  'design_feedback',
  'implementation_start',
  'implementation_feedback',
  'implementation_feedback',
];

/** The AI reviewer is disabled, because it has its own walks. */
const OPTIONS = {
  repoKeys: 'review_enabled = false',
  limits: '[limits]\nmax_failures_per_run = 100\nmax_turns_per_run = 1000',
};

type Played = { walk: Walk; story: Story; kills: Kills | null; statuses: string[][]; seconds: number };

async function playStory(startKills: ((walk: Walk) => Kills) | null): Promise<Played> {
  const startedAt = performance.now();
  const walk = await createWalk(OPTIONS);
  const story = createStory(walk);
  const kills = startKills?.(walk) ?? null;
  if (kills === null) {
    walk.startPoller();
    walk.startWorker();
  }
  const statuses: string[][] = [];
  try {
    await play(walk, story, {
      during: async (stage, over) => kills?.run(stage.kills, over),
      after: ({ name }) => {
        statuses.push([name, ...story.runs().map(({ flow, status }) => `${flow} ${status}`)]);
      },
    });
    await kills?.runRemaining();
    // Gives a duplicate post time to appear.
    await new Promise((done) => setTimeout(done, (WINDOW_SECONDS + 1) * 1_000));
    return { walk, story, kills, statuses, seconds: (performance.now() - startedAt) / 1_000 };
  } catch (error) {
    await walk.close();
    throw new Error(`${error}\nseed ${SEED}; killed so far:\n${kills?.describe()}`);
  }
}

const fetchOwnComments = async (walk: Walk, path: string): Promise<string[]> => {
  const rows = await walk.alice.request('GET', `/repos/${REPO}/${path}/comments?per_page=100`);
  const bodies = Array.isArray(rows) ? rows.map(({ body }) => String(body)) : [];
  return bodies
    .filter((body) => body.includes('mergexo-action'))
    .map((body) => body.replace(/\s*<!--[\s\S]*$/, ''));
};

describe('MergeXO, from an issue to a merged implementation:', () => {
  const played: Played[] = [];
  const storyAt = (index: number): Played => {
    const found = played[index];
    if (found === undefined) throw new Error('the story did not run');
    return found;
  };

  // Both stories run in parallel, because they mostly wait.
  beforeAll(async () => {
    process.stdout.write(`implementation walk: MERGEXO_WALK_SEED=${SEED}\n`);
    const ends = await Promise.allSettled([playStory(null), playStory((walk) => startWithKills(walk, SEED))]);
    for (const end of ends) if (end.status === 'fulfilled') played.push(end.value);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  });
  afterAll(async () => {
    for (const { walk } of played) await walk.close();
  });

  describe.each([
    ['without kills', 0],
    [`with ${KILLS} kills`, 1],
  ])('%s', (_mode, index) => {
    it('opens one pull request for the design and one for the implementation', async () => {
      const { walk, story } = storyAt(index);
      const { pulls, pushes, forced } = await fetchResults(walk, story.issue());
      expect(pulls.map(({ head }) => head.ref).sort()).toEqual([DESIGN_BRANCH, BRANCH].sort());
      expect(pulls.every((pull) => Object(pull).merged_at !== null)).toBe(true);
      // A repeated push after a kill has the same commit, and no branch moves back.
      expect([pushes, forced]).toEqual([5, 0]);
    });

    it('answers each comment and the failed check once, and posts nothing twice', async () => {
      const { walk, story } = storyAt(index);
      const { issue, pull } = story;
      const posted = [];
      for (const flow of ['design_doc', 'implementation'] as const)
        for (const kind of ['issues', 'pulls'])
          posted.push(...(await fetchOwnComments(walk, `${kind}/${pull(flow).prNumber}`)));
      expect(posted.sort()).toEqual([...ANSWERS].sort());
      expect(await fetchOwnComments(walk, `issues/${issue()}`)).toEqual([
        expect.stringContaining('**Status: done: the pull request was merged.**'),
        expect.stringContaining(`Pull request #${pull('design_doc').prNumber} proposes a design document`),
        expect.stringContaining(
          `Pull request #${pull('implementation').prNumber} proposes an implementation`,
        ),
      ]);
    });

    it('calls the agent once per turn, and at most once more for each killed worker', () => {
      const { walk, story, kills } = storyAt(index);
      const calls = walk.agentRequests(story.issue());
      const turns = new Map(calls.map(({ turnKey, kind }) => [turnKey, kind]));
      expect([...turns.values()]).toEqual(KINDS);
      expect(calls.length).toBeLessThanOrEqual(KINDS.length + (kills?.countWorkers() ?? 0));
    });

    it('ends both runs and their sessions after the merge, and closes the issue', async () => {
      const { walk, story } = storyAt(index);
      expect(story.runs().map(({ flow, status }) => [flow, status])).toEqual([
        ['implementation', 'merged'],
        ['design_doc', 'merged'],
      ]);
      const sessions = walk.withState((state) => story.runs().map(({ id }) => state.readSession(id)));
      expect(sessions).toEqual([undefined, undefined]);
      const issue = await walk.alice.request('GET', `/repos/${REPO}/issues/${story.issue()}`);
      expect(issue).toMatchObject({ state: 'closed' });
    });

    it('produces the same readable transcript in every run', async () => {
      const { walk, story, kills } = storyAt(index);
      const transcript = await renderTranscript(walk, story.issue());
      expect(transcript).toBe(readGolden('implementation', kills === null ? transcript : undefined));
    });

    it('sends no request that GitHub would not support', () => {
      expect(storyAt(index).walk.twin.control.violations()).toEqual([]);
    });
  });

  it('reaches every stage', () => {
    expect(storyAt(0).statuses).toEqual([
      ['the design', 'design_doc awaiting_feedback'],
      ['a question about the design', 'design_doc awaiting_feedback'],
      ['a change request for the design', 'design_doc awaiting_feedback'],
      ['the implementation', 'implementation awaiting_feedback', 'design_doc merged'],
      ['a failed check', 'implementation awaiting_feedback', 'design_doc merged'],
      ['a review of the implementation', 'implementation awaiting_feedback', 'design_doc merged'],
      ['the merge', 'implementation merged', 'design_doc merged'],
    ]);
  });

  it('gives the implementation its own session, and resumes that session for feedback', () => {
    const { walk, story } = storyAt(0);
    const thread = `thread-${story.issue()}`;
    expect(walk.agentRequests(story.issue()).map((call) => call.thread)).toEqual([
      null,
      thread,
      thread,
      null,
      thread,
      thread,
    ]);
  });

  it('marks the document as implemented, and keeps additions from its review', async () => {
    const text = await storyAt(0).story.readFile(DOCUMENT, 'main');
    expect(text).toMatch(/^---\n.*\nstatus: implemented\nimplemented_at: \d{4}-\S*\n---\n/s);
    expect(text).toContain('- Empty fields stay empty.\n');
  });

  it('lists the acceptance criteria with their files, and the files that the design did not name', async () => {
    const { walk, story } = storyAt(0);
    const { prNumber } = story.pull('implementation');
    const body = String(Object(await walk.alice.request('GET', `/repos/${REPO}/pulls/${prNumber}`)).body);
    const shown = [...body.matchAll(/^ {3}Evidence: (.*)$/gm)].map(([, files = '']) => files);
    expect(shown).toHaveLength(3);
    for (const [, path = ''] of shown.join(' ').matchAll(/`([^`]+)`/g))
      expect(await story.readFile(path, 'main')).not.toBe('');
    expect(body).toMatch(/Files outside the design.*- `README.md`\n/s);
  });

  it(`survives ${KILLS} kills`, () => {
    const { kills, seconds } = storyAt(1);
    process.stdout.write(`implementation walk: ${seconds.toFixed(0)} s, killed\n${kills?.describe()}\n`);
    expect(kills?.describe().split('\n')).toHaveLength(KILLS);
  });
});
