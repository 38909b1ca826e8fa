import { carryLine, findLine, findPosition, parseHunks } from '../git/parse-patch.js';
import type { Place, Side } from '../store/review-rows.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { World } from '../world.js';

export type WantedPlace = {
  path: string;
  commitId: string;
  line?: number | undefined;
  side?: Side | undefined;
  startLine?: number | undefined;
  startSide?: Side | undefined;
  position?: number | undefined;
  subjectType?: 'line' | 'file' | undefined;
};
export type Placed = { kind: 'placed'; place: Place } | { kind: 'off-diff'; what: OffDiff };
/** What is not in the diff, or wrong about the start of several lines. */
export type OffDiff = 'commit' | 'path' | 'line' | 'order' | 'hunk';

/** A comment can only stand on a line that the pull request's diff shows. */
export async function placeComment(
  world: World,
  repo: Repo,
  issue: PullIssue,
  wanted: WantedPlace,
): Promise<Placed> {
  const depot = world.depot(repo);
  const known =
    /^[0-9a-f]{40}$/.test(wanted.commitId) && (await depot.isAncestor(wanted.commitId, issue.pull.headSha));
  const compared = known ? await depot.compare(issue.pull.baseSha, wanted.commitId) : undefined;
  if (!compared || compared.aheadBy === 0) return { kind: 'off-diff', what: 'commit' };
  const file = compared.files.find((change) => change.filename === wanted.path);
  if (!file) return { kind: 'off-diff', what: 'path' };
  const common = { path: wanted.path, commitId: wanted.commitId, baseId: compared.mergeBase };
  const hunks = parseHunks(file.patch ?? '');
  if (wanted.subjectType === 'file') {
    const nowhere = { line: null, startLine: null, startSide: null, position: null, side: 'RIGHT' as const };
    return {
      kind: 'placed',
      place: { ...common, ...nowhere, diffHunk: hunks[0]?.lines.join('\n') ?? '', subjectType: 'file' },
    };
  }
  const at = toLine(wanted, hunks);
  const spot = at && findLine(hunks, at.side, at.line);
  if (!at || !spot) return { kind: 'off-diff', what: 'line' };
  const startSide = wanted.startLine === undefined ? null : (wanted.startSide ?? at.side);
  const start = startSide && findLine(hunks, startSide, wanted.startLine ?? 0);
  if (startSide && !start) return { kind: 'off-diff', what: 'line' };
  if (start && start.position >= spot.position) return { kind: 'off-diff', what: 'order' };
  if (start && hunkOf(start) !== hunkOf(spot)) return { kind: 'off-diff', what: 'hunk' };
  return {
    kind: 'placed',
    place: { ...common, ...at, startLine: wanted.startLine ?? null, startSide, ...spot, subjectType: 'line' },
  };
}

const hunkOf = (spot: { diffHunk: string }) => spot.diffHunk.split('\n', 1)[0];

function toLine(wanted: WantedPlace, hunks: ReturnType<typeof parseHunks>) {
  if (wanted.line !== undefined) return { side: wanted.side ?? ('RIGHT' as const), line: wanted.line };
  return wanted.position === undefined ? undefined : findPosition(hunks, wanted.position);
}

export type Standing = {
  commitId: string;
  line: number | null;
  startLine: number | null;
  position: number | null;
};

/** Where a comment stands in today's diff. Once a push has touched or unfolded its line, it is outdated: nulls. */
export async function locateComment(
  world: World,
  repo: Repo,
  issue: PullIssue,
  place: Place,
): Promise<Standing> {
  const { headSha } = issue.pull;
  const original = { line: place.line, startLine: place.startLine, position: place.position };
  if (headSha === place.commitId || place.subjectType === 'file') return { commitId: headSha, ...original };
  const outdated = { commitId: place.commitId, line: null, startLine: null, position: null };
  const compared = await world.depot(repo).compare(issue.pull.baseSha, headSha);
  const file = compared?.files.find((change) => change.filename === place.path);
  if (!compared || !file || place.line === null) return outdated;

  const [from, to] = place.side === 'LEFT' ? [place.baseId, compared.mergeBase] : [place.commitId, headSha];
  const edits = from === to ? [] : ((await world.depot(repo).readEdits(from, to)).get(place.path) ?? []);
  const line = carryLine(edits, place.line);
  const startLine = place.startLine === null ? null : carryLine(edits, place.startLine);
  const spot = line === undefined ? undefined : findLine(parseHunks(file.patch ?? ''), place.side, line);
  if (line === undefined || startLine === undefined || !spot) return outdated;
  return { commitId: headSha, line, startLine, position: spot.position };
}
