import type { TurnPackage } from '../agent/turn-package.js';
import { sanitisePackage } from './sanitise-package.js';

const HIDDEN = 'a\u202eb <!-- evil --> c';
const BODY = 'ab [hidden text removed: 13 characters] c\n[hidden characters removed: 1]';
const LINE = 'ab <!-- evil --> c';
const said = {
  author_role: null,
  id: 1,
  author: HIDDEN,
  body: HIDDEN,
  created_at: 'then',
  updated_at: 'then',
  url: 'u',
};

const origin = { author_role: null, created_at: null };

const turn: TurnPackage = {
  task_context: {
    repo: 'acme/app',
    issue_number: 7,
    pr_number: 3,
    branch: HIDDEN,
    base_sha: 'a'.repeat(40),
    head_sha: 'b'.repeat(40),
    design_doc_path: HIDDEN,
  },
  issue: { number: 7, title: HIDDEN, body: HIDDEN, author: HIDDEN, labels: [HIDDEN], url: 'u', ...origin },
  pull_request: {
    number: 3,
    title: HIDDEN,
    body: HIDDEN,
    author: HIDDEN,
    base_branch: 'main',
    head_branch: HIDDEN,
    url: 'u',
    ...origin,
  },
  review_comments: [{ ...said, in_reply_to_id: null, path: HIDDEN, line: null }],
  issue_comments: [said],
  linked: [
    {
      number: 4,
      is_pull_request: false,
      status: HIDDEN,
      title: HIDDEN,
      body: HIDDEN,
      author: HIDDEN,
      url: 'u',
      ...origin,
    },
  ],
  changed_files: [HIDDEN],
  new_events: [
    {
      key: 'k',
      kind: 'ci',
      id: 1,
      author: HIDDEN,
      body: HIDDEN,
      url: null,
      path: HIDDEN,
      line: null,
      side: null,
      start_line: null,
      diff_hunk: HIDDEN,
      suggestions: [{ start_line: null, line: 1, replacement: HIDDEN }],
      is_outdated: false,
      is_resolved: false,
      review_state: null,
    },
  ],
  check_statuses: [{ name: HIDDEN, status: 'done', conclusion: null, url: HIDDEN }],
  state_summary: HIDDEN,
  previous_actions: [{ kind: 'review_reply', target: HIDDEN, summary: HIDDEN, outcome: 'posted' }],
  allowed_actions: ['edit_files'],
};

describe('sanitisePackage', () => {
  const clean = sanitisePackage(turn);

  it('leaves no hidden character in any field', () => {
    expect(JSON.stringify(turn)).toContain('\u202e');
    expect(JSON.stringify(clean)).not.toContain('\u202e');
  });

  it('removes comments from text by people, and keeps them in names and code', () => {
    expect(clean.issue).toMatchObject({ title: LINE, body: BODY, author: LINE, labels: [LINE] });
    expect(clean.changed_files).toEqual([LINE]);
    expect(clean.review_comments).toMatchObject([{ path: LINE, body: BODY }]);
    expect(clean.new_events).toMatchObject([{ diff_hunk: `${LINE}\n[hidden characters removed: 1]` }]);
    expect(clean.previous_actions).toMatchObject([{ target: LINE, summary: BODY }]);
    expect(clean.state_summary).toBe(BODY);
  });

  it('changes nothing else, and is idempotent', () => {
    expect(clean.task_context).toEqual({ ...turn.task_context, branch: LINE, design_doc_path: LINE });
    expect(sanitisePackage(clean)).toEqual(clean);
  });
});
