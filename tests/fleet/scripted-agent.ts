/**
 * An agent that follows JSON instructions in a file, in the issue's body or in comments. Imports only Node's modules, because the
 * sandbox contains no others.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Script = {
  files?: Record<string, string>;
  /** Files to write in the second call of the same turn, after its tests failed. */
  repair?: Record<string, string>;
  /** Shell commands, one for each call of the turn. */
  shell?: string[];
  blocked?: string;
  /** Question that the agent asks about an issue whose title contains the key, before anybody replied. */
  asks?: Record<string, string>;
  /** A text in the titles of issues for which the agent's first answer is unusable. */
  unusable?: string;
  sleepMs?: number;
  /** A file that the test writes. The agent works until the file exists. */
  waitFor?: string;
  /** Reports this many steps, one every 100 ms, before the agent waits. */
  steps?: number;
  /** Ignores SIGTERM, and starts children that ignore it too. */
  deaf?: boolean;
  exit?: number;
  /** Cost of every turn of the issue, in addition to the usual tokens. */
  usage?: { cost_usd: number };
  /** Findings of each review, in order. Later reviews find nothing. */
  review?: (Finding[] | ReviewStep)[];
  /** Texts in findings that the second agent refutes. It confirms all other findings. */
  refute?: string[];
  /** Result of each review fix, in order. Later fixes change nothing. */
  fix?: FixStep[];
  /** Replaces the usual output of a start. */
  design?: object;
  change?: object;
  /** The results that the implementation reports for the design's acceptance criteria. */
  acceptance?: object[];
  /** Files that the implementation of the merged design writes, if they differ from `files`. */
  implement?: Record<string, string>;
  /** Instructions for a comment or a failed check that contains the key. */
  answers?: Record<string, Instruction>;
};

type Finding = { path: string; line?: number; severity?: string; category?: string; body?: string };
type ReviewStep = {
  findings?: Finding[];
  /** The status that the reviewer reports for each open finding; `fixed` by default. */
  earlier?: 'holds' | 'fixed' | 'forgotten';
  /** Texts in open findings that still hold, whatever the status of the others is. */
  holds?: string[];
  write?: Record<string, string>;
  sleepMs?: number;
  exit?: number;
};
type FixStep = {
  write?: Record<string, string>;
  resolution?: string;
  /** Texts in findings that the agent does not fix. */
  declines?: string[];
  /** Text to add to each note. */
  note?: string;
  rewrite?: boolean;
  sleepMs?: number;
  exit?: number;
};

/** Instructions in a comment, in addition to the usual reply. */
type Instruction = {
  write?: Record<string, string>;
  /** Replaces the first text with the second in an existing file. */
  replace?: Record<string, [string, string]>;
  rewrite?: boolean;
  sleepMs?: number;
  blocked?: string;
  say?: string;
  commit?: string;
  /** Why the failed check is not the change's fault. MergeXO then reruns the check. */
  flaky?: string;
};

export type AgentAttachment = {
  path: string;
  mediaType: string;
  source: string;
  sha256: string;
  writable: boolean;
};

type Event = { key: string; kind: string; id: number; body: string };

const request = JSON.parse(readFileSync(0, 'utf8'));
const { HOME: home = '.' } = process.env;
const events: Event[] = request.turn.new_events.filter(({ kind }: Event) => kind !== 'signal');
const log = join(home, 'calls.jsonl');
const before = countTurnsBefore();
appendFileSync(
  log,
  `${JSON.stringify({
    kind: request.kind,
    attempt: request.attempt,
    pid: process.pid,
    startedAtMs: performance.timeOrigin,
    turnKey: request.turn_key,
    headSha: request.turn.task_context.head_sha,
    thread: request.session?.thread_id ?? null,
    events: events.map(({ key }) => key),
    comments: events.map(({ body }) => body),
    attachments: listAttachments(),
    prompt: request.prompt,
    missing: /BEGIN MISSING ATTACHMENTS\n(.*)\nEND/s.exec(request.prompt)?.[1]?.split('\n') ?? [],
  })}\n`,
);

const output = await respond();
process.stdout.write(
  JSON.stringify({
    session: { thread_id: `thread-${request.turn.issue.number}` },
    output,
    usage: { input_tokens: 10, output_tokens: 5, ...readScript().usage },
  }),
);

/** Reads the uploaded files, and tries to change them, which the sandbox must prevent. */
function listAttachments(): AgentAttachment[] {
  return request.attachments.map(({ path, media_type, source }: Record<string, string>) => {
    const sha256 = createHash('sha256')
      .update(readFileSync(String(path)))
      .digest('hex');
    let writable = true;
    try {
      appendFileSync(String(path), '');
    } catch {
      writable = false;
    }
    return { path: String(path), mediaType: String(media_type), source: String(source), sha256, writable };
  });
}

function respond(): Promise<object> {
  if (request.kind === 'review') return review();
  if (request.kind === 'review_verify') return Promise.resolve(verify());
  if (request.kind === 'review_fix') return fix();
  return request.kind.endsWith('_feedback') ? answer() : start();
}

/** Counts earlier turns of this kind. A retry of the same turn does not count, so it repeats the same step. */
function countTurnsBefore(): number {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  const calls: { kind: string; turnKey: string }[] = lines.map((line) => JSON.parse(line));
  const others = calls.filter(({ kind, turnKey }) => kind === request.kind && turnKey !== request.turn_key);
  return new Set(others.map(({ turnKey }) => turnKey)).size;
}

/** Counts the calls of this turn, including this one. */
function countCalls(): number {
  const calls: { turnKey: string }[] = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return calls.filter(({ turnKey }) => turnKey === request.turn_key).length;
}

function readScript(): Script {
  const file = process.argv[2];
  return JSON.parse((file === undefined ? request.turn.issue.body : readFileSync(file, 'utf8')) || '{}');
}

async function review(): Promise<object> {
  const scripted = readScript().review?.[before] ?? [];
  const step: ReviewStep = Array.isArray(scripted) ? { findings: scripted } : scripted;
  await sleepOrExit(step);
  writeAll(step.write ?? {});
  const findings = (step.findings ?? []).map((finding) => ({
    line: null,
    severity: 'high',
    category: 'quality',
    body: `Something is wrong in ${finding.path}.`,
    suggestion: null,
    ...finding,
  }));
  return {
    summary:
      findings.length === 0
        ? 'No findings.'
        : `Reported ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}.`,
    findings,
    earlier:
      step.earlier === 'forgotten'
        ? []
        : events.map(({ id, body }) => ({
            id,
            status: step.holds?.some((text) => body.includes(text)) ? 'holds' : (step.earlier ?? 'fixed'),
            evidence: `Checked finding ${id}.`,
          })),
  };
}

function verify(): object {
  const { refute = [] } = readScript();
  return {
    findings: events.map(({ id, body }) => ({
      id,
      status: refute.some((text) => body.includes(text)) ? 'refuted' : 'confirmed',
      evidence: `Checked finding ${id}.`,
    })),
  };
}

async function fix(): Promise<object> {
  const step = readScript().fix?.[before] ?? {};
  await sleepOrExit(step);
  writeAll(step.write ?? {});
  if (step.rewrite) amend();
  const resolution = step.resolution ?? 'fixed';
  return {
    commit_message: 'fix: address the review',
    findings: events
      .filter(({ kind }) => kind === 'review')
      .map(({ id, body }) => ({
        id,
        resolution: step.declines?.some((text) => body.includes(text)) ? 'wontfix' : resolution,
        note: `Answer to ${id}. ${step.note ?? ''}`.trim(),
      })),
    summary: 'Checked each finding.',
    state_summary: 'fixed as the reviewer asked',
  };
}

async function sleepOrExit({ sleepMs, exit }: { sleepMs?: number; exit?: number }): Promise<void> {
  if (sleepMs) await sleep(sleepMs);
  if (exit) process.exit(exit);
}

async function start(): Promise<object> {
  const issueScript = readScript();
  const { title } = request.turn.issue;
  const question = Object.entries(issueScript.asks ?? {}).find(([text]) => title.includes(text))?.[1];
  const instructions = events.map(({ body }) => parseInstruction(body));
  const asked: Record<string, string> = Object.assign({}, ...instructions.map(({ write }) => write ?? {}));
  // Newer comments override the instructions in the issue.
  const script: Script =
    events.length === 0
      ? { ...issueScript, ...(question !== undefined && { blocked: question }) }
      : {
          ...(Object.keys(asked).length > 0 && { files: asked }),
          ...instructions.findLast(({ sleepMs }) => sleepMs !== undefined),
          ...instructions.findLast(({ blocked }) => blocked !== undefined),
        };
  if (script.sleepMs) await sleep(script.sleepMs);
  if (script.deaf) ignoreSignals();
  await reportSteps(script.steps ?? 0);
  while (script.waitFor && !existsSync(script.waitFor)) await sleep(50);
  if (script.exit) process.exit(script.exit);
  const asFirst = request.kind === 'implementation_start' ? (script.implement ?? script.files) : script.files;
  const files = request.session === null ? asFirst : (script.repair ?? asFirst);
  writeAll(files ?? { 'fix.txt': `for issue ${request.turn.issue.number}\nsecond\nthird\n` });
  const command = script.shell?.[countCalls() - 1];
  if (command !== undefined) execFileSync('/bin/sh', ['-ec', command], { stdio: 'ignore' });
  const design = {
    title: 'A plan',
    summary: 'What and why.',
    touch_paths: ['src/*'],
    priority: 4,
    depends_on: [],
    estimated_size: 'S',
    design_doc_markdown: '## Details\n\nAll of them.',
    ...script.design,
  };
  const change = {
    pr_title: `Changes for issue ${request.turn.issue.number}`,
    pr_summary: 'Implements the issue.',
    commit_message: 'fix: resolve the issue',
    ...(request.kind === 'implementation_start' && script.acceptance && { acceptance: script.acceptance }),
    ...script.change,
  };
  const output = request.kind === 'design_start' ? design : change;
  const isUnusable = issueScript.unusable !== undefined && title.includes(issueScript.unusable);
  if (isUnusable && countCalls() === 1) return { ...output, pr_title: null, state_summary: 'all done' };
  return script.blocked ? { blocked_reason: script.blocked } : { ...output, state_summary: 'all done' };
}

/**
 * One child stays in the agent's session, the other leaves it. Each has a child of its own. All end by themselves if
 * nothing kills them.
 */
function ignoreSignals(): void {
  setTimeout(() => process.exit(1), 120_000).unref();
  process.on('SIGTERM', () => {});
  for (const detached of [false, true])
    spawn('/bin/sh', ['-c', "trap '' TERM; sleep 120 & sleep 120"], { detached, stdio: 'ignore' }).unref();
}

async function reportSteps(count: number): Promise<void> {
  for (let index = 1; index <= count; index += 1) {
    const progress = { kind: 'run', text: `step ${index} of attempt ${request.attempt}` };
    process.stderr.write(`${JSON.stringify({ progress })}\n`);
    await sleep(100);
  }
}

async function answer(): Promise<object> {
  const answers = readScript().answers ?? {};
  const findInstruction = ({ body }: Event): Instruction =>
    Object.entries(answers).find(([text]) => body.includes(text))?.[1] ?? parseInstruction(body);
  const instructions = events.map(findInstruction);
  const files: Record<string, string> = Object.assign({}, ...instructions.map(readEdits));
  for (const { sleepMs } of instructions) if (sleepMs) await sleep(sleepMs);
  writeAll(files);
  if (instructions.some(({ rewrite }) => rewrite)) amend();
  const commit = instructions.find((instruction) => instruction.commit !== undefined)?.commit;
  const lineComments = events.filter(({ kind }) => kind === 'review');
  const rest = events.filter(({ kind }) => kind !== 'review');
  return {
    review_replies: lineComments.map((event) => ({
      review_comment_id: event.id,
      body: findInstruction(event).say ?? `Answer to ${event.id}.`,
    })),
    general_comment: rest.length === 0 ? null : answerTogether(rest, findInstruction),
    commit_message: Object.keys(files).length === 0 ? null : (commit ?? 'fix: as the review asks'),
    state_summary: 'answered',
    blocked_reason: instructions.find(({ blocked }) => blocked !== undefined)?.blocked ?? null,
    flaky: findFlaky(events, findInstruction),
  };
}

function findFlaky(about: Event[], findInstruction: (event: Event) => Instruction): object | null {
  const failed = about.find((event) => event.kind === 'ci' && findInstruction(event).flaky !== undefined);
  return failed === undefined ? null : { run_id: failed.id, reason: findInstruction(failed).flaky };
}

function answerTogether(rest: Event[], findInstruction: (event: Event) => Instruction): string {
  const replies = rest.flatMap((event) => findInstruction(event).say ?? []);
  const others = rest.filter((event) => findInstruction(event).say === undefined).map(({ id }) => id);
  return [...replies, ...(others.length === 0 ? [] : [`Answer to ${others.join(', ')}.`])].join('\n\n');
}

function readEdits({ write, replace }: Instruction): Record<string, string> {
  const replaced = Object.entries(replace ?? {}).map(([path, [from, to]]) => [
    path,
    readFileSync(path, 'utf8').replace(from, () => to),
  ]);
  return { ...write, ...Object.fromEntries(replaced) };
}

function parseInstruction(body: string): Instruction {
  const [json] = /\{.*\}/s.exec(body) ?? [];
  return json === undefined ? {} : JSON.parse(json);
}

function writeAll(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
  }
}

function amend(): void {
  const who = ['-c', 'user.name=agent', '-c', 'user.email=agent@example.org'];
  execFileSync('git', [...who, 'commit', '--amend', '--allow-empty', '-am', 'rewritten'], {
    stdio: 'ignore',
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
