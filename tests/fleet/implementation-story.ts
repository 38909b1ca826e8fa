import { isLive } from '@mergexo/core/turns';
import type { Pull, Run } from '@mergexo/state';
import { eventually } from '@mergexo/testkit';
import { REPO, type Walk } from './walk.js';

const ISSUE = 'Export the list as CSV';
export const DOCUMENT = 'docs/design/1-export-the-list-as-csv.md';
export const DESIGN_BRANCH = 'agent/design/1-export-the-list-as-csv';
export const BRANCH = 'agent/impl/1-export-the-list-as-csv';
const CODE = 'src/export/to-csv.js';
const TESTS = 'test/export/to-csv.test.js';

/** Comments by people and the agent's replies. Each text must appear once. */
const TALK = {
  questions: ['One question before I continue.', 'Answered in the thread.'],
  separator: ['Commas, or semicolons as in German files?', 'Commas, as in RFC 4180.'],
  empty: ['Please add that empty fields stay empty.', 'Added as the third criterion.'],
  check: ['README.md does not mention toCsv', 'The check requires an entry in the README. Added one.'],
  last: ['One request, then this is ready to merge.', 'Done, see the thread.'],
  name: ['Please rename the parameter to rows.', 'Renamed.'],
} as const;

export const ANSWERS: readonly string[] = Object.values(TALK).map(([, answer]) => answer);

const WORK: Record<keyof typeof TALK, object> = {
  questions: {},
  separator: {},
  empty: {
    commit: 'docs: empty fields stay empty',
    replace: { [DOCUMENT]: ['are quoted.\n', 'are quoted.\n- Empty fields stay empty.\n'] },
  },
  check: {
    commit: 'docs: mention toCsv in the README',
    write: { 'README.md': '# app\n\n`toCsv(rows)` returns the list as CSV.\n' },
  },
  last: {},
  name: {
    commit: 'refactor: rename the parameter to rows',
    replace: { [CODE]: ['(list) => list', '(rows) => rows'] },
  },
};

/** The agent's instructions in the body of the issue. */
const SCRIPT = {
  design: {
    title: 'Export as CSV',
    summary: 'Adds a function that returns the list as CSV.',
    touch_paths: ['src/export/*', 'test/export/*'],
    design_doc_markdown: [
      '## Proposal',
      '',
      'One line per row, with commas between the fields.',
      '',
      '## Acceptance criteria',
      '',
      '- One line per row.',
      '- Fields with commas are quoted.',
    ].join('\n'),
  },
  change: {
    pr_title: 'Export the list as CSV',
    pr_summary: '`toCsv` returns one line per row.',
    commit_message: 'feat: export the list as CSV',
    acceptance: [
      { criterion: 1, shown_by: [TESTS] },
      { criterion: 2, shown_by: [CODE, TESTS] },
      { criterion: 3, shown_by: [TESTS] },
    ],
  },
  implement: {
    [CODE]: "export const toCsv = (list) => list.map((row) => row.map(quote).join(',')).join('\\n');\n",
    [TESTS]: "import '../../src/export/to-csv.js';\n",
  },
  answers: Object.fromEntries(
    Object.entries(TALK).map(([key, [text, say]]) => [text, { ...Object(WORK)[key], say }]),
  ),
};

export type Stage = {
  name: string;
  /** Number of kills with kill -9 during this stage, if the story runs with kills. */
  kills: number;
  act(): Promise<void>;
  /** Throws until the stage is over. */
  check(): void;
};

export type Story = ReturnType<typeof createStory>;

/** The stages from an issue to a merged implementation. Each stage begins when the previous stage has no work left. */
export function createStory(walk: Walk) {
  const scene = createScene(walk);
  return { ...scene, stages: [...listDesignStages(walk, scene), ...listImplementationStages(walk, scene)] };
}

type Scene = ReturnType<typeof createScene>;

/** The issue and pull requests of the story, with shortcuts. */
function createScene(walk: Walk) {
  let issue = 0;
  const runs = (): Run[] =>
    walk.withState((state) => {
      const [repo] = state.listRepositories();
      return repo === undefined ? [] : state.listRunsOfIssue(repo.id, issue);
    });
  const findRun = (flow: Run['flow']): Run | undefined => runs().find((run) => run.flow === flow);
  const pull = (flow: Run['flow']): Pull => {
    const { repoId = 0, prNumber } = findRun(flow) ?? {};
    const found = walk.withState((state) => state.readPull(repoId, prNumber ?? 0));
    if (found === undefined) throw new Error(`the ${flow} has no pull request`);
    return found;
  };
  const readFile = async (path: string, ref: string): Promise<string> => {
    const at = `/repos/${REPO}/contents/${path}?ref=${encodeURIComponent(ref)}`;
    return Buffer.from(String(Object(await walk.alice.request('GET', at)).content), 'base64').toString();
  };
  return {
    issue: () => issue,
    runs,
    pull,
    readFile,
    async openIssue(title: string, body: string) {
      issue = await walk.alice.openIssue(REPO, { title, body, labels: ['agent:design'] });
    },
    async onLine(path: string, ref: string, lineText: string, body: string) {
      const lines = (await readFile(path, ref)).split('\n');
      return { path, line: lines.findIndex((text) => text.includes(lineText)) + 1, body };
    },
    /** Throws until this many turns are done and nothing is left to post or answer. */
    expectTurns(flow: Run['flow'], count: number, status: Run['status'] = 'awaiting_feedback'): void {
      const run = findRun(flow);
      const threads = [issue, pull(flow).prNumber];
      const turns = walk.withState((state) => state.listTurnsOfRun(run?.id ?? 0));
      const done = turns.filter(({ state }) => state === 'done').length;
      const isQuiet =
        !turns.some(isLive) && threads.every((thread) => isSettled(walk, run?.repoId ?? 0, thread));
      if (done === count && run?.status === status && isQuiet) return;
      const states = turns.map(({ kind, state, reason }) => `${kind} ${state} ${reason ?? ''}`);
      throw new Error(`${flow} is ${run?.status} ${run?.error ?? ''}: ${states.join(', ')}`);
    },
  };
}

function isSettled(walk: Walk, repoId: number, thread: number): boolean {
  return walk.withState(
    (state) =>
      !state.hasUnsettledActions(repoId, thread) && state.listUnclaimedEvents(repoId, thread).length === 0,
  );
}

function listDesignStages({ alice }: Walk, scene: Scene): Stage[] {
  const { pull, expectTurns } = scene;
  return [
    {
      name: 'the design',
      kills: 3,
      act: () => scene.openIssue(ISSUE, JSON.stringify(SCRIPT)),
      check: () => expectTurns('design_doc', 1),
    },
    {
      name: 'a question about the design',
      kills: 3,
      async act() {
        const [body] = TALK.questions;
        const line = await scene.onLine(DOCUMENT, DESIGN_BRANCH, 'with commas between', TALK.separator[0]);
        await alice.submitReview(REPO, pull('design_doc').prNumber, { body, comments: [line] });
      },
      check: () => expectTurns('design_doc', 2),
    },
    {
      name: 'a change request for the design',
      kills: 3,
      act: async () => void (await alice.comment(REPO, pull('design_doc').prNumber, TALK.empty[0])),
      check: () => expectTurns('design_doc', 3),
    },
    {
      name: 'the implementation',
      kills: 4,
      act: async () => void (await alice.merge(REPO, pull('design_doc').prNumber)),
      check: () => expectTurns('implementation', 1),
    },
  ];
}

function listImplementationStages({ alice, twin }: Walk, { pull, expectTurns, onLine }: Scene): Stage[] {
  const runChecks = (conclusion: 'success' | 'failure', log = ''): void => {
    const id = twin.actions.start(REPO, { branch: BRANCH, by: 'robot', jobs: [{ name: 'docs', log: '' }] });
    twin.actions.finish(id, conclusion, { log });
  };
  return [
    {
      name: 'a failed check',
      kills: 3,
      act: async () => runChecks('failure', `${TALK.check[0]}\n`),
      check() {
        expectTurns('implementation', 2);
        // Once all three shas match, the pull request's body lists the files that the design did not name.
        const { changedFilesSha, headSha, acceptedHeadSha } = pull('implementation');
        if (changedFilesSha !== headSha || headSha !== acceptedHeadSha)
          throw new Error('the files of the fix are not recorded yet');
      },
    },
    {
      name: 'a review of the implementation',
      kills: 3,
      async act() {
        runChecks('success');
        await alice.submitReview(REPO, pull('implementation').prNumber, {
          event: 'REQUEST_CHANGES',
          body: TALK.last[0],
          comments: [await onLine(CODE, BRANCH, 'toCsv', TALK.name[0])],
        });
      },
      check: () => expectTurns('implementation', 3),
    },
    {
      name: 'the merge',
      kills: 1,
      async act() {
        runChecks('success');
        await alice.merge(REPO, pull('implementation').prNumber);
      },
      check: () => expectTurns('implementation', 3, 'merged'),
    },
  ];
}

/** Plays all stages. `during` runs during each stage and stops when the stage is over. */
export async function play(
  walk: Walk,
  { stages }: Pick<Story, 'stages'>,
  { during, after }: { during(stage: Stage, over: AbortSignal): Promise<void>; after(stage: Stage): void },
): Promise<void> {
  for (const stage of stages) {
    await stage.act();
    const over = new AbortController();
    const until = eventually(() => stage.check(), 90_000)
      .catch((error) => {
        throw new Error(`In "${stage.name}": ${error}\n${walk.outputs().slice(-4_000)}`);
      })
      .finally(() => over.abort());
    await Promise.all([until, during(stage, over.signal)]);
    after(stage);
  }
}
