import type { Script } from './scripted-agent.js';

/** Everything that people and programs contribute to the prompts of a story. */
export type PromptWorld = {
  /** Files on the default branch. */
  files: Record<string, string>;
  repoKeys: string;
  agentKeys: string;
  /** Texts of the issues that the story's issue mentions. */
  linked: string[];
  issue: string;
  /** Number of images that the issue shows. */
  uploads: number;
  issueComments: string[];
  /** Comments on the design, one after the other. */
  designComments: string[];
  /** A comment on two lines of the implementation, which end at `line`, and a later reply in its thread. */
  lineComment: { line: number; body: string; reply: string; isResolved: boolean } | null;
  /** General comments on the implementation. */
  pullComments: string[];
  /** Log of a failed check. */
  log: string | null;
  /** Messages that the failed check attached to lines of the implementation. */
  annotations: string[];
  /** A text in a finding that the agent does not fix and a person then dismisses. */
  dismissed: string | null;
  /** Names of checks that pass on a person's commit. */
  checks: string[];
  /** The reply to the question of the agent that fixes a bug. */
  reply: string;
  script: Script;
};

export const CODE = 'src/upload.js';
const TEST_RUNNER = '#!/bin/sh\nfor test in test/*.sh; do sh "$test" || exit 1; done\n';
const SETUP = '#!/bin/sh\necho ready > .setup-done\n';
const CODE_LINES = ['export function upload(file) {', '  const tries = 3;', '  return send(file);', '}'];
const toText = (lines: readonly string[]): string => `${lines.join('\n')}\n`;

/** A text of a given length. Golden files show its repeated words once, with their number. */
const filler = (word: string, length: number): string =>
  `${word} `.repeat(Math.ceil(length / (word.length + 1))).trim();

const finding = (number: number, severity = 'high') => ({
  path: CODE,
  line: number,
  severity,
  category: 'edge_cases',
  body: `Problem ${number}: line ${number} does not check its input.`,
});

const DECLINED = 'This name is too long.';
/** A finding that does not block the merge. */
const minor = (text = '') => ({ ...finding(2, 'medium'), body: `${DECLINED} ${text}`.trim() });

const SCRIPT: Script = {
  design: {
    title: 'Retry uploads',
    summary: 'Retries an upload that times out.',
    touch_paths: ['src/*'],
    design_doc_markdown:
      '## Proposal\n\nRetry the request.\n\n## Acceptance criteria\n\n- At most 3 attempts.',
  },
  change: {
    pr_title: 'Retry uploads',
    pr_summary: 'Retries an upload that times out.',
    commit_message: 'fix: retry uploads',
  },
  acceptance: [{ criterion: 1, shown_by: [CODE] }],
  implement: { [CODE]: toText(CODE_LINES) },
  review: [[finding(3)]],
  fix: [{ write: { [CODE]: toText([...CODE_LINES, '// Checked.']) } }],
  asks: { 'on Sundays': 'Which time zone do you mean? I propose UTC.' },
  unusable: 'Rename',
  answers: {
    '/mergexo update': { write: { [CODE]: toText(CODE_LINES) } },
    'a constant': {
      say: `Moved the number into a constant in ${CODE}:2.`,
      replace: { [CODE]: ['  const tries = 3;', '  const tries = MAX_TRIES;'] },
    },
  },
};

/** Only an issue without text: no rules, tests, comments, uploads or logs. */
const bare: PromptWorld = {
  files: {},
  repoKeys: '',
  agentKeys: '',
  linked: [],
  issue: '',
  uploads: 0,
  issueComments: [],
  designComments: ['Please go on.'],
  lineComment: null,
  pullComments: ['Looks good so far.'],
  log: null,
  annotations: [],
  dismissed: null,
  checks: [],
  reply: 'Use UTC.',
  script: { ...SCRIPT, files: { [CODE]: toText(CODE_LINES) } },
};

/** Contains every kind of input, at a typical size. */
const rich: PromptWorld = {
  files: {
    'AGENTS.md': 'Use the helpers in src/lib.\n',
    'CLAUDE.md': 'Write short functions.\n',
    'CONTRIBUTING.md': 'Start commit messages with a type.\n',
    '.github/pull_request_template.md': '## Why\n\n## How it was tested\n',
    'scripts/setup.sh': SETUP,
    'scripts/test.sh': TEST_RUNNER,
    'test/base.sh': 'true\n',
  },
  repoKeys:
    'setup = "scripts/setup.sh"\nrequired_tests = "scripts/test.sh"\ntest_file_regex = "^test/"\nci_policy = "all_complete"',
  // The agent remembers nothing, so each prompt contains the stored summary.
  agentKeys: 'session_mode = "stateless"',
  linked: ['Uploads have been slow since the last release.'],
  issue:
    'Uploads time out.\n\n<!-- Thanks for the report! -->\n\n## Acceptance criteria\n\n- At most 3 attempts.',
  uploads: 1,
  issueComments: ['This also happens on mobile.'],
  designComments: ['Should the delays have jitter?', 'And who sees the error?'],
  lineComment: {
    line: 3,
    isResolved: true,
    body: 'Please use a constant here.\n\n```suggestion\n  const tries = MAX_TRIES;\n  return send(file, tries);\n```',
    reply: 'Is this line still right?',
  },
  pullComments: ['Which tests cover this?'],
  log: [
    '2026-01-02T03:04:05.0000000Z \u001b[31m--- FAIL: TestUpload (0.00s)\u001b[0m',
    '2026-01-02T03:04:05.0000000Z     upload_test.go:7: got 4 attempts, want 3',
    '2026-01-02T03:04:06.0000000Z ##[error]Process completed with exit code 1.',
  ].join('\n'),
  annotations: ['Expected 3 attempts.', 'The name\n`tries` hides\tanother one.'],
  dismissed: DECLINED,
  checks: ['build'],
  reply: `Use UTC. ${JSON.stringify({ write: { 'test/upload.sh': `grep -q 'tries = 3' ${CODE}\n`, [CODE]: toText(CODE_LINES) } })}`,
  script: {
    ...SCRIPT,
    files: { [CODE]: toText(CODE_LINES), 'test/upload.sh': 'true\n' },
    repair: { 'test/upload.sh': `grep -q 'tries = 3' ${CODE}\n` },
    implement: { [CODE]: toText(CODE_LINES), 'test/upload.sh': `test -f ${CODE}\n` },
    review: [[finding(3), minor()], { holds: [DECLINED] }],
    fix: [{ write: { [CODE]: toText([...CODE_LINES, '// Checked.']) }, declines: [DECLINED] }],
  },
};

const LONG_CODE = [
  ...Array.from({ length: 120 }, (_, index) => `export const value${index} = ${index};`),
  ...CODE_LINES,
];

/** Contains every kind of input, too large for the prompt. */
const long: PromptWorld = {
  ...rich,
  files: {
    ...rich.files,
    'AGENTS.md': filler('rule', 60_000),
    'CONTRIBUTING.md': filler('custom', 60_000),
    '.github/pull_request_template.md': filler('section', 60_000),
  },
  linked: Array.from({ length: 6 }, (_, index) => `Linked issue ${index + 1}. ${filler('linked', 5_000)}`),
  issue: `Uploads time out. ${filler('issue', 60_000)}`,
  uploads: 9,
  issueComments: Array.from({ length: 12 }, (_, index) => `Note ${index + 1}. ${filler('note', 20_000)}`),
  designComments: [`Should the delays have jitter? ${filler('design', 60_000)}`],
  lineComment: {
    line: 123,
    isResolved: false,
    body: `Please use a constant here. ${filler('line', 20_000)}\n\n\`\`\`suggestion\n${filler('code', 40_000)}\n\`\`\``,
    reply: `Is this line still right? ${filler('reply', 60_000)}`,
  },
  pullComments: Array.from(
    { length: 4 },
    (_, index) => `Question ${index + 1}: ${filler('question', 60_000)}`,
  ),
  log: [
    ...Array.from({ length: 3_000 }, () => 'Compiling'),
    '--- FAIL: TestUpload (0.00s)',
    ...Array.from({ length: 3_000 }, () => 'Cleaning up'),
    '##[error]Process completed with exit code 1.',
  ].join('\n'),
  annotations: Array.from(
    { length: 25 },
    (_, index) => `Annotation ${index + 1}. ${filler('annotation', 2_000)}`,
  ),
  checks: Array.from({ length: 60 }, (_, index) => `check ${index + 1} ${filler('check', 80)}`),
  reply: `${rich.reply} ${filler('reply', 60_000)}`,
  script: {
    ...rich.script,
    files: { [CODE]: toText(LONG_CODE), 'test/upload.sh': 'yes failing | head -n 20000; false\n' },
    implement: { [CODE]: toText(LONG_CODE), 'test/upload.sh': `test -f ${CODE}\n` },
    review: [
      [
        ...Array.from({ length: 9 }, (_, index) => finding(index + 3, index < 2 ? 'critical' : 'high')),
        minor(filler('finding', 9_000)),
        ...Array.from({ length: 2 }, (_, index) => finding(index + 12, 'low')),
      ],
      { holds: [DECLINED] },
    ],
    fix: [
      {
        write: { [CODE]: toText([...LONG_CODE, '// Checked.']) },
        declines: [DECLINED],
        note: filler('note', 3_900),
      },
    ],
  },
};

export const PROMPT_WORLDS = { bare, rich, long };
