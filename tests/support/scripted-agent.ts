/** An agent that does what the issue's body or the comments tell it in JSON. Node's own modules only: in the sandbox there is nothing else. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Script = {
  files?: Record<string, string>;
  /** For the second asking of the same turn, after tests failed. */
  repair?: Record<string, string>;
  blocked?: string;
  sleepMs?: number;
  exit?: number;
};

/** In a comment: what to do about it besides answering. */
type Wish = { write?: Record<string, string>; rewrite?: boolean; sleepMs?: number; blocked?: string };

type Event = { key: string; kind: string; id: number; body: string };

const request = JSON.parse(readFileSync(0, 'utf8'));
const { HOME: home = '.' } = process.env;
const events: Event[] = request.turn.new_events.filter(({ kind }: Event) => kind !== 'signal');
appendFileSync(
  join(home, 'calls.jsonl'),
  `${JSON.stringify({
    kind: request.kind,
    attempt: request.attempt,
    turnKey: request.turn_key,
    headSha: request.turn.task_context.head_sha,
    thread: request.session?.thread_id ?? null,
    events: events.map(({ key }) => key),
    said: events.map(({ body }) => body),
  })}\n`,
);

const output = request.kind.endsWith('_feedback') ? await answer() : await start();
process.stdout.write(
  JSON.stringify({
    session: { thread_id: `thread-${request.turn.issue.number}` },
    output,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
);

async function start(): Promise<object> {
  const told: Script = JSON.parse(request.turn.issue.body || '{}');
  const wishes = events.map(({ body }) => readWish(body));
  const asked: Record<string, string> = Object.assign({}, ...wishes.map(({ write }) => write ?? {}));
  // What people said since is heard instead of what the issue said at first.
  const script: Script =
    events.length === 0
      ? told
      : {
          ...(Object.keys(asked).length > 0 && { files: asked }),
          ...wishes.findLast(({ sleepMs }) => sleepMs !== undefined),
          ...wishes.findLast(({ blocked }) => blocked !== undefined),
        };
  if (script.sleepMs) await sleep(script.sleepMs);
  if (script.exit) process.exit(script.exit);
  const files = request.session === null ? script.files : (script.repair ?? script.files);
  writeAll(files ?? { 'fix.txt': `for issue ${request.turn.issue.number}\nsecond\nthird\n` });
  const design = {
    title: 'A plan',
    summary: 'What and why.',
    touch_paths: ['src/*'],
    priority: 4,
    depends_on: [],
    estimated_size: 'S',
    design_doc_markdown: '## Details\n\nAll of them.',
  };
  const change = {
    pr_title: `Change for ${request.turn.issue.number}`,
    pr_summary: 'Done as asked.',
    commit_message: 'fix: do it',
  };
  const words = request.kind === 'design_start' ? design : change;
  return script.blocked ? { blocked_reason: script.blocked } : { ...words, state_summary: 'all done' };
}

async function answer(): Promise<object> {
  const wishes = events.map(({ body }) => readWish(body));
  const files: Record<string, string> = Object.assign({}, ...wishes.map(({ write }) => write ?? {}));
  for (const { sleepMs } of wishes) if (sleepMs) await sleep(sleepMs);
  writeAll(files);
  if (wishes.some(({ rewrite }) => rewrite)) amend();
  const lone = events.filter(({ kind }) => kind === 'review');
  const rest = events.filter(({ kind }) => kind !== 'review');
  return {
    review_replies: lone.map(({ id }) => ({ review_comment_id: id, body: `Answer to ${id}.` })),
    general_comment: rest.length === 0 ? null : `Answer to ${rest.map(({ id }) => id).join(', ')}.`,
    commit_message: Object.keys(files).length === 0 ? null : 'fix: as the review asks',
    state_summary: 'answered',
    blocked_reason: wishes.find(({ blocked }) => blocked !== undefined)?.blocked ?? null,
    flaky: null,
  };
}

function readWish(body: string): Wish {
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
