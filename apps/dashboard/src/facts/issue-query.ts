import { FLOWS, type Flow } from '@mergexo/core/flows';
import {
  ATTENTION_STAGES,
  ENDED_STAGES,
  WORK_ORDERS,
  WORK_STAGES,
  type WorkOrder,
  type WorkStage,
} from '@mergexo/state';

/** The groups of stages that the tabs of the list show. */
export const STAGE_GROUPS = {
  attention: ATTENTION_STAGES,
  running: ['running'],
  queued: ['queued'],
  done: ENDED_STAGES,
} as const satisfies Record<string, readonly WorkStage[]>;
export type StageGroup = keyof typeof STAGE_GROUPS;

export const SHOWN_ISSUES = 50;

/** The search, the filters, the order and the page of the list. All of them are in the URL. */
export type IssueQuery = {
  text: string;
  repo: string | undefined;
  flow: Flow | undefined;
  /** A group of stages or one stage. */
  state: StageGroup | WorkStage | undefined;
  person: string;
  sort: WorkOrder;
  descending: boolean;
  /** 1-based. */
  page: number;
};

const MAX_TEXT = 100;
const MAX_PAGE = 100_000;

/** Parses the query string of the list. Ignores values that do not exist. */
export function parseIssueQuery(params: URLSearchParams): IssueQuery {
  // Cuts between characters, because half of a surrogate pair cannot be part of a URL.
  const read = (name: string): string => [...(params.get(name) ?? '')].slice(0, MAX_TEXT).join('').trim();
  const repo = read('repo');
  const page = Number(/^\d{1,6}$/.exec(read('page'))?.[0] ?? 1);
  // The form sends the order as one field, such as `created-asc`.
  const [sortText = '', direction = ''] = params.has('order')
    ? read('order').split('-')
    : [read('sort'), read('dir')];
  const sort = WORK_ORDERS.find((order) => order === sortText) ?? 'updated';
  return {
    text: read('q'),
    repo: repo === '' ? undefined : repo,
    flow: FLOWS.find((flow) => flow === read('flow')),
    state: parseState(read('state')),
    person: read('person').replace(/^@/, ''),
    sort,
    descending: direction === '' ? sort !== 'title' : direction !== 'asc',
    page: Math.min(MAX_PAGE, Math.max(1, page)),
  };
}

function parseState(text: string): IssueQuery['state'] {
  const groups: readonly StageGroup[] = ['attention', 'running', 'queued', 'done'];
  return groups.find((group) => group === text) ?? WORK_STAGES.find((stage) => stage === text);
}

export function stagesOf(state: IssueQuery['state']): readonly WorkStage[] | undefined {
  switch (state) {
    case undefined:
      return undefined;
    case 'attention':
    case 'running':
    case 'queued':
    case 'done':
      return STAGE_GROUPS[state];
    default:
      return [state];
  }
}

/** Builds the URL of the list. Leaves out everything that has its default value. */
export function buildIssueUrl(query: IssueQuery, change: Partial<IssueQuery> = {}): string {
  const { text, repo, flow, state, person, sort, descending, page } = { ...query, page: 1, ...change };
  const fields = [
    ['q', text],
    ['repo', repo ?? ''],
    ['flow', flow ?? ''],
    ['state', state ?? ''],
    ['person', person],
    ['sort', sort === 'updated' ? '' : sort],
    ['dir', descending === (sort !== 'title') ? '' : descending ? 'desc' : 'asc'],
    ['page', page === 1 ? '' : String(page)],
  ].filter(([, value]) => value !== '');
  const search = fields.map(([key = '', value = '']) => `${key}=${encodeURIComponent(value)}`).join('&');
  return search === '' ? '/issues' : `/issues?${search}`;
}
