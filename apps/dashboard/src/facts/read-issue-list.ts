import { countWork, listPeople, listWork, type Snapshot, type WorkFilter } from '@mergexo/state';
import { type IssueQuery, SHOWN_ISSUES, stagesOf } from './issue-query.js';
import { nameOf } from './name-of.js';
import { findRepository } from './read-blocked.js';

export type IssueList = ReturnType<typeof readIssueList>;

/** Suggestions for the field that filters by person. */
const SHOWN_PEOPLE = 200;
/** No repository has this id, so an unknown name finds nothing. */
const NOWHERE = -1;

/** Reads one page of the list of issues, and how many issues each tab has with the same filters. */
export function readIssueList(facts: Snapshot, query: IssueQuery) {
  const { text, flow, person, sort: order, descending } = query;
  const filter: WorkFilter = {
    repoId: query.repo === undefined ? undefined : (findRepository(facts, query.repo)?.id ?? NOWHERE),
    ...{ flow, person, text },
  };
  const counts = countWork(facts, filter);
  const stages = stagesOf(query.state);
  const total = Object.entries(counts).reduce(
    (sum, [stage, n]) => sum + (stages === undefined || stages.some((known) => known === stage) ? n : 0),
    0,
  );
  const pages = Math.max(1, Math.ceil(total / SHOWN_ISSUES));
  const page = Math.min(query.page, pages);
  const offset = (page - 1) * SHOWN_ISSUES;
  return {
    rows: listWork(facts, { ...filter, stages }, { order, descending, limit: SHOWN_ISSUES, offset }),
    ...{ counts, total, page, pages },
    repositories: facts.state.listRepositories().map(nameOf),
    people: listPeople(facts, SHOWN_PEOPLE),
  };
}
