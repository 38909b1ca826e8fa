import { setTimeout as sleep } from 'node:timers/promises';
import type { BegunTurn } from '@mergexo/core/ledger';
import { decideRound, listUnresolved, matchRound, readPatch } from '@mergexo/core/review';
import {
  buildReviewResult,
  FeedbackContext,
  familyOf,
  type PlanParcel,
  type PlanResult,
  ReviewContext,
  ReviewFixContext,
  StartContext,
  type Usage,
} from '@mergexo/core/turns';
import { type MakePlan, type Planned, trouble } from '@mergexo/worker';
import type { Random } from './random.js';
import type { Remote } from './remote.js';

/** What the agent does in its next turn, instead of doing its work well. */
export type Mood =
  | 'talks'
  | 'commits'
  | 'blocks'
  | 'fails'
  | 'unusable'
  | 'no-machine'
  | 'hangs'
  | 'rewrites'
  | 'costs'
  | 'limited'
  | 'finds'
  | 'disputes';

/** An attempt in which an agent ran. */
export type Asking = { turnKey: string; attempt: number; issueNumber: number | null; at: number };

const SILENCE_MS = 300_000;

export type Agent = ReturnType<typeof createAgent>;

/** The agents of all workers. Their plans are numbered, so that a judge can match posts to their plan. */
export function createAgent(remote: Remote, random: Random, now: () => number) {
  const moods: Mood[] = [];
  const asked: Asking[] = [];
  let plans = 0;

  const plan = async (begun: BegunTurn, mood: Mood): Promise<Planned> => {
    plans += 1;
    const name = `plan-${plans}`;
    const usage: Usage = { inputTokens: 10, outputTokens: 10, costUsd: mood === 'costs' ? 40 : 0.01 };
    if (mood === 'no-machine')
      return trouble('the machine has no memory left', { retryAfterMs: 5_000, usage });
    if (mood === 'limited')
      return {
        ...failed('agent', usage),
        cause: 'infrastructure',
        retryAfterMs: 60_000,
        limitedAdapter: 'command',
      };
    if (mood === 'fails' || mood === 'hangs') return failed('agent', usage);
    if (mood === 'unusable') return failed('unusable', usage);
    const work = PLANNERS[familyOf(begun.turnKind)]({ begun, mood, name, remote, at: now() });
    const session = familyOf(begun.turnKind) === 'review' ? null : { adapter: 'command', threadId: 't' };
    const parcel: PlanParcel = {
      plan: { version: 1, session, commit: work.commit, result: work.result, stateSummary: name, usage },
      bundle: work.bundle,
    };
    return { kind: 'planned', parcel };
  };
  const makePlan: MakePlan = async (begun, signal, report) => {
    const mood = moods.shift() ?? random.weigh(USUAL);
    const { turnKey, attempt, issueNumber } = begun;
    asked.push({ turnKey, attempt, issueNumber, at: now() });
    report.step('asking the agent');
    try {
      await sleep(
        mood === 'hangs'
          ? SILENCE_MS
          : random.weigh([
              [4, random.between(500, 4_000)],
              [1, random.between(4_000, 20_000)],
            ]),
        undefined,
        { signal },
      );
    } catch {
      return failed('agent', { inputTokens: 5, outputTokens: 0, costUsd: 0.001 });
    }
    return plan(begun, mood);
  };
  return { makePlan, moods, asked };
}

const USUAL = [
  [6, 'commits'],
  [3, 'talks'],
  [1, 'finds'],
] as const satisfies [number, Mood][];

function failed(cause: 'agent' | 'unusable', usage: Usage): Extract<Planned, { kind: 'failed' }> {
  return { kind: 'failed', cause, reason: `the agent: ${cause}`, retryAfterMs: null, usage };
}

type Asked = { begun: BegunTurn; mood: Mood; name: string; remote: Remote; at: number };
type Worked = Pick<PlanParcel, 'bundle'> & Pick<PlanParcel['plan'], 'commit' | 'result'>;

const PLANNERS = { start, feedback, review, fix };

function commitOn(
  { remote, begun, name, at }: Asked,
  { branch, head, files }: { branch: string; head: string; files: Record<string, string> },
): Pick<Worked, 'commit' | 'bundle'> {
  const message = `${name}\n\nMergeXO-Turn: ${begun.turnKey}\n`;
  const { sha, bundle } = remote.commit({ head, files, message, atMs: at });
  return { commit: { branch, startSha: head, sha }, bundle };
}

function start(asked: Asked): Worked {
  const context = StartContext.parse(asked.begun.context);
  const { remote, mood, name } = asked;
  const { branch, followup, designDocPath, flow, issue } = context;
  if (mood === 'blocks')
    return {
      commit: null,
      bundle: null,
      result: { kind: 'wait', waitKind: 'agent_blocked', reason: `${name} asks a person` },
    };
  if (mood === 'disputes')
    return {
      commit: null,
      bundle: null,
      result: { kind: 'wait', waitKind: 'no_changes', reason: `${name} changed nothing` },
    };
  const head = followup?.checkpoint?.sha ?? remote.readHead('main') ?? '';
  const files: Record<string, string> = { [`src/issue-${issue.number}.txt`]: `one\ntwo\nthree\n${name}\n` };
  if (flow === 'design_doc' && designDocPath !== null) files[designDocPath] = renderDesign(issue.number);
  const path = context.design?.path;
  if (flow === 'implementation' && path !== undefined)
    files[path] = (remote.readFile(head, path) ?? '').replace(/^issue:/m, 'status: implemented\nissue:');
  const design: Extract<PlanResult, { kind: 'pull' }>['design'] =
    flow === 'design_doc' && designDocPath !== null
      ? { path: designDocPath, priority: 3, touchPaths: ['src/**'], dependsOn: [], estimatedSize: 'S' }
      : null;
  const pull: PlanResult = {
    kind: 'pull',
    title: `Work on #${issue.number}`,
    summary: `Done by ${name}.`,
    design,
  };
  return { ...commitOn(asked, { branch, head, files }), result: pull };
}

function renderDesign(issue: number): string {
  return `---\nissue: ${issue}\ntouch_paths:\n  - src/**\n---\n\n# Design\n\n## Acceptance criteria\n\n- It works.\n`;
}

function feedback(asked: Asked): Worked {
  const { mood, name, begun } = asked;
  const { events, branch, headSha } = FeedbackContext.parse(begun.context);
  if (mood === 'blocks' || mood === 'rewrites') {
    const blockKind = mood === 'blocks' ? 'agent_blocked' : 'history_rewritten';
    const observedSha = mood === 'rewrites' ? 'd'.repeat(40) : null;
    return {
      commit: null,
      bundle: null,
      result: { kind: 'block', blockKind, reason: `${name} stops`, observedSha },
    };
  }
  const onLines = events.filter(({ kind }) => kind === 'review');
  const ids = [...new Set(onLines.map(({ id }) => id))];
  const answer = (to: typeof events): string =>
    `Answer by ${name} to ${to.map(({ body }) => nameText(body)).join(', ')}.`;
  const replies = ids.map((commentId) => ({
    commentId,
    rootId: onLines.find(({ id }) => id === commentId)?.rootId ?? commentId,
    body: answer(onLines.filter(({ id }) => id === commentId)),
  }));
  const rest = events.filter((event) => !onLines.includes(event));
  const result: PlanResult = { kind: 'answer', replies, general: rest.length === 0 ? null : answer(rest) };
  if (mood === 'talks') return { commit: null, bundle: null, result };
  const files = { [`src/${name}.txt`]: `${name}\n` };
  return { ...commitOn(asked, { branch, head: headSha, files }), result };
}

/** Returns the number in a person's text, as in "Remark number 7". */
export function nameText(body: string): string {
  return /Remark number \d+/.exec(body)?.[0] ?? 'a remark';
}

function review({ begun, mood, name, remote }: Asked): Worked {
  const context = ReviewContext.parse(begun.context);
  const { round, earlier, policy, headSha, issue } = context;
  const path = `src/issue-${issue.number}.txt`;
  const text = remote.readFile(headSha, path) ?? '';
  const patch = `@@ -0,0 +1,${text.split('\n').length - 1} @@\n${text.replace(/^(?=.)/gm, '+')}`;
  const findings =
    mood !== 'finds' || text === ''
      ? []
      : [
          {
            ...{ path, startLine: null, line: 1, severity: 'high' as const, category: 'security' as const },
            ...{ introduced: true, body: `Found by ${name}.`, suggestion: null },
          },
        ];
  const answers = listUnresolved(earlier, round).map(({ id }) => ({
    ...{ id, status: 'fixed' as const, line: null, evidence: `${name} read it.` },
  }));
  const lines = new Map([[path, readPatch(patch)]]);
  const matched = matchRound({ round, findings, answers, earlier, lines, policy });
  const result = buildReviewResult(
    { headSha, summary: `Read by ${name}.`, answers },
    decideRound(matched, new Map()),
  );
  return { commit: null, bundle: null, result };
}

function fix(asked: Asked): Worked {
  const { begun, mood, name } = asked;
  const { branch, headSha, findings } = ReviewFixContext.parse(begun.context);
  const isDisputed = mood === 'disputes' || mood === 'talks';
  const answers = findings.map(({ id }) => ({
    id,
    resolution: isDisputed ? ('disputed' as const) : ('fixed' as const),
    note: `${name} says so.`,
    touchesFile: !isDisputed,
  }));
  const failure = isDisputed ? { cause: 'no_changes' as const, reason: 'No file changed.' } : null;
  const result: PlanResult = { kind: 'fix', answers, summary: `Fixed by ${name}.`, failure };
  if (isDisputed) return { commit: null, bundle: null, result };
  const files = Object.fromEntries(findings.map(({ path }) => [path, `fixed by ${name}\ntwo\nthree\n`]));
  return {
    ...commitOn(asked, { branch, head: headSha, files: { ...files, [`src/${name}.txt`]: 'x\n' } }),
    result,
  };
}
