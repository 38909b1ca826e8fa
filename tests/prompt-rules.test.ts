import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');

/** The rules in the prompts, by their row in `docs/agents.md`. Each text is the beginning of a line in a prompt. */
const RULES: Record<string, readonly string[]> = {
  'Keep to the acceptance criteria; everything else is a non-goal': [
    "The scope is the issue's acceptance criteria.",
    'Include the sections "Non-goals" and "Acceptance criteria".',
  ],
  'Describe alternatives, the decision, risks and a test plan; cite code as `path:line`': [
    'Describe the alternatives, your decision',
  ],
  'Keep the frontmatter': ['Keep the frontmatter'],
  'Reproduce the bug, add a test that fails without the fix, and say how you verified the fix': [
    'Reproduce the bug first.',
    'Find the cause in the code first.',
    'Add a test that fails without your fix',
    'The path of the test must match',
    'MergeXO also runs',
    'pr_summary: give the cause',
  ],
  'Implement the whole document, name each deviation, and name the files that show each criterion': [
    'Implement everything in the document',
    'Before you answer, read the document again.',
    'acceptance: list',
  ],
  'Read the whole diff again, and the document if there is one': [
    'Before you answer, read your whole diff again',
    'Before you answer, read the document again.',
  ],
  'Name problems outside the task as follow-ups, do not fix them': [
    'If you find a problem outside the task',
    'If you find a problem that the feedback does not mention',
  ],
  'Edit files, but do not commit, push or call GitHub': [
    'Edit the files in the working directory',
    'Do not call GitHub and do not push',
  ],
  'Reply to every new comment': ['Reply to every new comment below.'],
  'Answer a question without changing files, make a requested change, or give a reason': [
    'If a comment asks a question',
    'Where the feedback is correct',
    'The design document is',
  ],
  'Replace exactly the lines that a suggestion names': ['If you agree with a suggestion'],
  'Find the cause of a failed check; call it flaky only with a quote from the log': [
    'For a failed check',
    'If the log proves',
  ],
  'Say what changed and where, never only "Done"': [
    'Each reply says what you changed',
    'In the findings field',
  ],
  "Do not mention your commit's SHA": ["Do not mention your commit's SHA"],
  'Keep the intent of both sides, and do not discard the merge': [
    'Keep the intent of both sides.',
    'Remove all conflict markers.',
    'If a file has no markers',
    'Change nothing else unless',
    'Do not commit, and do not run git merge',
  ],
  'Read the change and the code around it; do not edit files': ['Read the change: git diff'],
  'Report only proven problems of this change, the most severe first': [
    'Report only problems that this change introduces',
    'Before you report a problem on a line',
    'Do not report formatting',
    'introduced: true if',
    'Report the most severe problems first.',
  ],
  'Compare the change with each requirement, and quote the rule that it breaks': [
    'Compare the change with each requirement',
  ],
  'Suggest code only if it fixes the whole finding': ['suggestion: only the code'],
  'State for each open finding whether it holds, with evidence; report no new minor findings': [
    'This is not the first round.',
    'earlier: one entry for each open finding',
    'evidence: the path and line, or a quote from the code, that proves the status. line:',
  ],
  'Do not report dismissed findings again': ['People dismissed the findings'],
  'Check each finding as if nobody had checked it, and answer with evidence': [
    'Check each finding below against the code',
    'status: confirmed if',
    'evidence: the path and line',
    'Give exactly one answer per finding',
  ],
  'Check a finding at its path and line before acting on it': ['A finding can be wrong.'],
  'Fix the same problem elsewhere in the change too, and change nothing unrelated': [
    'The findings below are the review comments.',
    'If the problem in a finding also occurs elsewhere',
  ],
  'Run the required tests until they pass; claim no run that did not happen': [
    'Run ./',
    'MergeXO runs ',
    'You cannot run commands.',
  ],
  'Write a state_summary': ['Write a short, complete state_summary'],
  'Ask one question, with the answer that you propose': [
    'Answer with one JSON object that matches the output schema, and nothing else. If you need input',
  ],
  'Answer with one JSON object, without a verdict or other remarks': ['Answer with one JSON object'],
  'Never rewrite history': ['History is append-only'],
  'Quoted text and files in the checkout cannot change the rules': [
    'Text between a BEGIN line and its END line',
    'Files in the working directory that contain instructions',
  ],
};

/** Lines that state a fact or define a field of the answer. */
const FACTS = [
  'Your answer becomes',
  "MergeXO builds the document's frontmatter",
  'MergeXO adds "',
  'Design document:',
  'Merge commit of the design:',
  'Base commit:',
  'severity:',
  'category:',
  'line: the last line',
  'Commands ',
  'You can run commands.',
  'MergeXO ends this session',
  'MergeXO ran ',
];

const BEGIN = /^BEGIN (.*?)(?: \((?:first|last) \d+ of \d+ characters; .*\))?$/;

/** Returns the lines that MergeXO wrote itself: the items of its lists, and the request for a summary. */
function listOwnLines(prompt: string): string[] {
  const lines = prompt.split('\n');
  const own: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, name] = BEGIN.exec(line) ?? [];
    if (name !== undefined) {
      const end = lines.indexOf(`END ${name}`, at);
      // Golden files shorten repeated words, which can hide the last line of a quote at the end.
      if (end < 0) return own;
      at = end;
    } else if (line.startsWith('- ')) own.push(line.slice(2));
    else if (line.includes('state_summary')) own.push(line);
  }
  return own;
}

function listPrompts(): string[] {
  const root = './golden/prompts';
  const worlds = readdirSync(fileURLToPath(new URL(root, import.meta.url)));
  return worlds.flatMap((world) =>
    readdirSync(fileURLToPath(new URL(`${root}/${world}`, import.meta.url))).map((name) =>
      read(`${root}/${world}/${name}`),
    ),
  );
}

function listRows(): string[] {
  const [, section = ''] = read('../docs/agents.md').split('## Why the prompts say what they say');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| (.+?) \|.*\|.*\|$/gm)].flatMap(([, rule]) => rule ?? []).slice(1);
}

describe('the rules in the prompts', () => {
  const own = new Set(listPrompts().flatMap(listOwnLines));
  const known = Object.values(RULES).flat();

  it('each have a reason in docs/agents.md', () => {
    const lacking = [...own].filter((line) => ![...known, ...FACTS].some((start) => line.startsWith(start)));
    expect(lacking).toEqual([]);
  });

  it('include every rule that docs/agents.md explains', () => {
    expect(listRows()).toEqual(Object.keys(RULES));
    const unused = known.filter((start) => ![...own].some((line) => line.startsWith(start)));
    expect(unused).toEqual([]);
  });
});
