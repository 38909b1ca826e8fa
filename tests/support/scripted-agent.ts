/** An agent that does what the issue's body tells it in JSON. Node's own modules only: in the sandbox there is nothing else. */
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

const request = JSON.parse(readFileSync(0, 'utf8'));
const { HOME: home = '.' } = process.env;
appendFileSync(
  join(home, 'calls.jsonl'),
  `${JSON.stringify({ kind: request.kind, attempt: request.attempt })}\n`,
);
const script: Script = JSON.parse(request.turn.issue.body || '{}');
if (script.sleepMs) await new Promise((resolve) => setTimeout(resolve, script.sleepMs));
if (script.exit) process.exit(script.exit);

const files = request.session === null ? script.files : (script.repair ?? script.files);
for (const [path, text] of Object.entries(
  files ?? { 'fix.txt': `for issue ${request.turn.issue.number}\n` },
)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: path.endsWith('.sh') ? 0o755 : 0o644 });
}

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
const output = script.blocked ? { blocked_reason: script.blocked } : { ...words, state_summary: 'all done' };
process.stdout.write(
  JSON.stringify({
    session: { thread_id: `thread-${request.turn.issue.number}` },
    output,
    usage: { input_tokens: 10, output_tokens: 5 },
  }),
);
