import { carryLine, findLine, parseHunks } from '../git/parse-patch.js';
import type { Place, Side } from '../store/review-rows.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { World } from '../world/world.js';

export type WantedPlace = { path: string; commitId: string; line: number; side?: Side | undefined };
export type Placed = { kind: 'placed'; place: Place } | { kind: 'off-diff'; what: OffDiff };
/** What is not in the diff. */
export type OffDiff = 'commit' | 'path' | 'line';

/** The forms of a place that GitHub has besides the line, and the twin lacks. */
export const UNSUPPORTED_PLACES = ['start_line', 'start_side', 'position', 'subject_type'];

/** A comment can only stand on a line that the pull request's diff shows. */
export async function placeComment(
  world: World,
  repo: Repo,
  issue: PullIssue,
  { path, commitId, line, side = 'RIGHT' }: WantedPlace,
): Promise<Placed> {
  const gitRepo = world.gitRepo(repo);
  const known = /^[0-9a-f]{40}$/.test(commitId) && (await gitRepo.isAncestor(commitId, issue.pull.headSha));
  const compared = known ? await gitRepo.compare(issue.pull.baseSha, commitId) : undefined;
  if (!compared || compared.aheadBy === 0) return { kind: 'off-diff', what: 'commit' };
  const file = compared.files.find((change) => change.filename === path);
  if (!file) return { kind: 'off-diff', what: 'path' };
  const spot = findLine(parseHunks(file.patch ?? ''), side, line);
  if (!spot) return { kind: 'off-diff', what: 'line' };
  return { kind: 'placed', place: { path, commitId, baseId: compared.mergeBase, side, line, ...spot } };
}

export type Standing = { commitId: string; line: number | null; position: number | null };

/** Where a comment stands in today's diff. Once a push has touched or unfolded its line, it is outdated: nulls. */
export async function locateComment(
  world: World,
  repo: Repo,
  issue: PullIssue,
  place: Place,
): Promise<Standing> {
  const { headSha } = issue.pull;
  if (headSha === place.commitId) return { commitId: headSha, line: place.line, position: place.position };
  const outdated = { commitId: place.commitId, line: null, position: null };
  const compared = await world.gitRepo(repo).compare(issue.pull.baseSha, headSha);
  const file = compared?.files.find((change) => change.filename === place.path);
  if (!compared || !file) return outdated;

  const [from, to] = place.side === 'LEFT' ? [place.baseId, compared.mergeBase] : [place.commitId, headSha];
  const edits = from === to ? [] : ((await world.gitRepo(repo).readEdits(from, to)).get(place.path) ?? []);
  const line = carryLine(edits, place.line);
  const spot = line === undefined ? undefined : findLine(parseHunks(file.patch ?? ''), place.side, line);
  return line === undefined || !spot ? outdated : { commitId: headSha, line, position: spot.position };
}
