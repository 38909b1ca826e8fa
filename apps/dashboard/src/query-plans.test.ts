import { openState, readHealth, readSnapshot, type Snapshot, type State } from '@mergexo/state';
import { aRemark, aTurn, useTemporaryDirectory } from '@mergexo/testkit';
import { readHome } from './facts/home/read-home.js';
import { readIssue } from './facts/issue/read-issue.js';
import { parseIssueQuery } from './facts/issue-query.js';
import { readChrome } from './facts/read-chrome.js';
import { readIssueList } from './facts/read-issue-list.js';

const NOW = 1_700_000_000_000;

const readFrame = (facts: Snapshot) => {
  const health = readHealth(facts.state, { now: NOW, pollIntervalMs: 1_000, configured: ['o/n'] });
  return readChrome(facts, { now: NOW, health });
};
const readList = (query: string) => (facts: Snapshot) =>
  readIssueList(facts, parseIssueQuery(new URLSearchParams(query)));

/**
 * What may be read from the first row to the last: a few rows per worker or repository, the arguments of a query, and
 * one row per run. The list of people reads an index.
 */
const SMALL = ['health', 'json_each VIRTUAL TABLE INDEX 1:', 'repositories', 'worker_leases', 'runs'];
const PEOPLE = 'feedback_events USING INDEX feedback_events_by_author';

describe('the queries', () => {
  const pathTo = useTemporaryDirectory();

  /** Lists what the queries read as a whole, or sort into an index that lives as long as the query. */
  const listScans = (read: (facts: Snapshot) => unknown): string[] => {
    const path = pathTo('state.db');
    const state = openState(path);
    fill(state);
    state.close();
    const scans = readSnapshot(path, (facts) => {
      const prepare = facts.sqlite.prepare.bind(facts.sqlite);
      const queries = new Set<string>();
      Object.assign(facts.sqlite, {
        prepare(sql: string) {
          queries.add(sql);
          return prepare(sql);
        },
      });
      expect(read(facts)).toBeDefined();
      expect(queries.size).toBeGreaterThan(2);
      return [...queries]
        .flatMap((sql) => prepare(`explain query plan ${sql.replace(/@\w+|\?/g, 'null')}`).all())
        .map((row) => String(Object(row)['detail']))
        .filter((detail) => /^SCAN|AUTOMATIC/.test(detail))
        .map((detail) =>
          detail.replace('SCAN ', '').replace(/ USING INDEX (?:issue_runs|sqlite_auto)\w+$/, ''),
        );
    });
    return [...new Set(scans)];
  };

  it.each<[string, (facts: Snapshot) => unknown, string[]]>([
    ['every page', readFrame, []],
    ['home', (facts) => readHome(facts, NOW), []],
    ['the issue list', readList(''), [PEOPLE]],
    ['a search in the issue list', readList('q=export&sort=title&state=merged&page=2'), [PEOPLE]],
    ['the issue list of a person', readList('person=ada'), [PEOPLE]],
    ['an issue', (facts) => readIssue(facts, 'o/n', { asked: 7, all: true, now: NOW }), []],
  ])('of %s read no growing table as a whole', (_page, read, more) => {
    expect(listScans(read).filter((scan) => ![...SMALL, ...more].includes(scan))).toEqual([]);
  });
});

/** Work that runs, waits for a review, is blocked, has ended and has not started. */
const STAGES = [
  { issueNumber: 7, status: 'awaiting_feedback', state: 'running' },
  { issueNumber: 8, status: 'awaiting_feedback', state: 'done' },
  { issueNumber: 9, status: 'blocked', state: 'blocked' },
  { issueNumber: 10, status: 'merged', state: 'done' },
  { issueNumber: 11, status: 'ready', state: null },
] as const;

/** Adds an issue in every stage, with a comment, a turn and its cost, so that no query is left out. */
function fill(state: State): void {
  state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  for (const { issueNumber, status, state: turnState } of STAGES) {
    const about = { repoId: 1, issueNumber, branch: `b${issueNumber}` };
    const run = state.recordRun(
      { ...about, flow: 'bugfix', issueTitle: 'Broken', designDocPath: null, ordinal: 1 },
      NOW,
    );
    if (run === undefined) throw new Error('the run already exists');
    if (turnState === null) continue;
    const [runId, prNumber] = [run.id, issueNumber + 100];
    state.recordPull({ ...about, prNumber, runId, headSha: 'a'.repeat(40), url: 'u' }, NOW);
    state.saveRun({ ...run, prNumber, status }, NOW);
    const remark = aRemark({ thread: prNumber });
    state.recordFeedbackEvent({ repoId: 1, issueNumber, remark, skipReason: null }, NOW);
    const turnKey = String(issueNumber).padEnd(64, '0');
    const place = { repoId: 1, runId, issueNumber, prNumber, turnKey };
    state.recordTurn(aTurn({ ...place, state: turnState, begins: ['r'] }), {});
    state.recordEvent({ type: 'turn_begun', ...place }, NOW);
    const used = { attempt: 1, inputTokens: 1, outputTokens: 1, costUsd: 1 };
    state.recordSpend({ repoId: 1, runId, turnKey, ...used }, NOW);
  }
}
