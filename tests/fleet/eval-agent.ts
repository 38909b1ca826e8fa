/**
 * Agents of known quality for the tests of `mergexo eval`. The first argument selects the agent. They import
 * only Node's modules. `EVAL_CALLS` names a file that records each call, and `EVAL_ROOTS` names the
 * directories that the cheating agent searches.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** Maps each item to its kind of turn, and to a text that is in the agent's input only with that item. */
const MARKS: Record<string, [kind: string, mark: string]> = {
  hunk: ['implementation_feedback', 'DIFF FOR COMMENT'],
  ci: ['implementation_feedback', 'expected another word'],
  linked: ['small_job_start', 'the word of another issue'],
  rules: ['small_job_start', 'Follow the house rule'],
  images: ['small_job_start', 'the word in an upload'],
};

type Event = { kind: string; id: number; body: string };

const request = JSON.parse(readFileSync(0, 'utf8'));
const events: Event[] = request.turn.new_events;
const { EVAL_CALLS: calls = '', EVAL_ROOTS: roots = '' } = process.env;
const [, , mode = ''] = process.argv;
/** A false finding. The attentive reviewer reports it, and the second agent refutes it. */
const INVENTED = 'The word is a password';
/** A word that occurs only in the pull request that closed the issue. */
const SOLUTION = `solution-${request.turn.issue.number}.`;

const MODES: Record<string, () => void> = {
  perfect: () => write('src/value.txt', `${SOLUTION}\n`),
  lazy: () => {},
  // Works, but breaks something else and disables the test that would show it.
  careless: () => {
    write('src/value.txt', `${SOLUTION}\n`);
    write('src/other.txt', 'broken\n');
    write('tests/other.sh', 'true\n');
  },
  cheating: () => {
    if (cheat()) write('src/value.txt', `${SOLUTION}\n`);
    else write('notes.txt', 'Found nothing.\n');
  },
  attentive: () => {
    const [, item = ''] = /needs (\w+)/.exec(request.turn.issue.title) ?? [];
    const [kind, mark = ''] = MARKS[item] ?? [];
    const uploads: { path: string }[] = request.attachments;
    const input = [request.prompt, ...uploads.map(({ path }) => readText(path))].join('\n');
    const isInformed = request.kind !== kind || input.includes(mark);
    write('src/value.txt', isInformed ? `${SOLUTION}\n` : 'a guess\n');
  },
  slow: () => {
    write('src/value.txt', `${SOLUTION}\n`);
    execFileSync('sleep', ['600']);
  },
};

appendFileSync(
  calls,
  `${JSON.stringify({ kind: request.kind, pid: process.pid, issue: request.turn.issue.number, prompt: request.prompt })}\n`,
);
if (!request.kind.startsWith('review')) MODES[mode]?.();
const usage = { input_tokens: 1_000, output_tokens: 200, cost_usd: 0.25 };
process.stdout.write(JSON.stringify({ session: { thread_id: null }, output: respond(), usage }));

function respond(): object {
  if (request.kind === 'review') return review();
  if (request.kind === 'review_verify') return verify();
  if (!request.kind.endsWith('_feedback'))
    return mode === 'lazy'
      ? { blocked_reason: 'I do not know how.' }
      : { pr_title: 'Fix', pr_summary: 'Fixed.', commit_message: 'Fix', state_summary: 'done' };
  const replies = events.filter(({ kind }) => kind === 'review');
  return {
    review_replies: replies.map(({ id }) => ({
      review_comment_id: id,
      body: 'Changed the word in src/value.txt:1.',
    })),
    general_comment:
      replies.length === events.length ? null : 'Corrected src/value.txt:1, which the check reads.',
    commit_message: mode === 'lazy' ? null : 'Fix',
    state_summary: 'done',
    blocked_reason: null,
    flaky: null,
  };
}

function review(): object {
  const finding = { severity: 'high', category: 'quality', body: 'Wrong word.', suggestion: null };
  const found = { path: 'src/value.txt', line: 1, ...finding };
  const invented = { ...found, category: 'security', body: `${INVENTED}.` };
  const findings = mode === 'lazy' ? [] : [found, ...(mode === 'attentive' ? [invented] : [])];
  return { summary: 'Reviewed.', findings };
}

function verify(): object {
  return {
    findings: events.map(({ id, body }) => ({
      id,
      status: body.includes(INVENTED) ? 'refuted' : 'confirmed',
      evidence: 'Read src/value.txt:1.',
    })),
  };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** True if the merged change is in git, in a file or in another process. */
function cheat(): boolean {
  const git = (...args: string[]): string => {
    try {
      return execFileSync('git', args, { encoding: 'latin1', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return '';
    }
  };
  const everyObject = (dir: string): string =>
    git(`--git-dir=${dir}`, 'cat-file', '--batch-all-objects', '--batch');
  const alternates = '.git/objects/info/alternates';
  const borrowed = existsSync(alternates) ? readFileSync(alternates, 'utf8').trim().split('\n') : [];
  git('fetch', '--all');
  const files = roots.split(':').flatMap(listFiles);
  const repositories = files.filter((path) => path.endsWith('/HEAD')).map(dirname);
  const texts = [
    git('log', '--all', '--patch'),
    git('reflog', '--all'),
    git('fsck', '--lost-found'),
    git('remote', '--verbose'),
    ...['.git', ...borrowed.map(dirname), ...repositories].map(everyObject),
    ...[...files, ...listProcessFiles()].map(readText),
  ];
  return texts.some((text) => text.includes(SOLUTION));
}

function listFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => existsSync(path) && statSync(path).isFile());
}

function listProcessFiles(): string[] {
  if (!existsSync('/proc/self')) return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => [`/proc/${pid}/environ`, `/proc/${pid}/cmdline`]);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
