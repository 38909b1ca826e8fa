import { z } from 'zod';
import { ApiError, forbidden, notFound } from '../../basics/api-error.js';
import { ensureSuite, latestRuns } from '../../domain/checks.js';
import {
  created,
  numberParam,
  ok,
  param,
  readBody,
  refuseUnsupported,
  refuseUnsupportedFields,
} from '../../rest/call.js';
import { commitOf, commitOr404 } from '../../rest/find-commit.js';
import { asSeen, listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { type CheckRun, Conclusion, Progress } from '../../store/check-rows.js';
import { viewCheckRun } from '../../views/checks.js';

const UNSUPPORTED = ['actions', 'completed_at', 'details_url', 'external_id', 'output', 'started_at'];
const shape = { status: Progress.optional(), conclusion: Conclusion.optional() };

export const checkRunRoutes = [
  repoRoute('POST', '/check-runs', 'write', createRun),
  repoRoute('PATCH', '/check-runs/{check_run_id}', 'write', (call) => {
    requireApp(call);
    refuseUnsupportedFields(call.body, UNSUPPORTED);
    const { name, ...progress } = readBody(call, { ...shape, name: z.string().optional() });
    const run = call.world.store.checkRuns.get(numberParam(call, 'check_run_id'));
    if (run?.repoId !== call.repo.id) throw notFound();
    return ok(store(call, { ...run, name: name ?? run.name }, progress));
  }),
  repoRoute('GET', '/commits/{ref}/check-runs', 'read', listRuns),
];

/** Only apps may write checks; a personal token, however mighty, may not. */
function requireApp(call: RepoCall): void {
  if (call.user.type !== 'Bot') throw forbidden('You must authenticate via a GitHub App.');
}

async function createRun(call: RepoCall) {
  requireApp(call);
  refuseUnsupportedFields(call.body, UNSUPPORTED);
  const { world, repo, user } = call;
  const shapeOfNew = { ...shape, name: z.string(), head_sha: z.string() };
  const { name, head_sha, ...progress } = readBody(call, shapeOfNew);
  const sha = await commitOf(call, head_sha);
  if (progress.status === 'completed' && progress.conclusion === undefined)
    throw new ApiError(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.');
  const queued: CheckRun = {
    id: world.store.nextId(),
    repoId: repo.id,
    suiteId: ensureSuite(world, repo, sha, user.login).id,
    sha,
    name,
    status: 'queued',
    conclusion: null,
    startedAt: world.stamp(),
    completedAt: null,
    bornMs: world.clock.now(),
  };
  return created(store(call, queued, progress));
}

/** A check with a conclusion is completed, and one without is not. */
function store(call: RepoCall, run: CheckRun, progress: z.infer<z.ZodObject<typeof shape>>) {
  const { world, repo } = call;
  const status = progress.conclusion === undefined ? (progress.status ?? run.status) : 'completed';
  const done = status === 'completed';
  const stored = world.store.checkRuns.put({
    ...run,
    status,
    conclusion: done ? (progress.conclusion ?? run.conclusion) : null,
    completedAt: done ? (run.completedAt ?? world.stamp()) : null,
  });
  return viewCheckRun(call, repo, stored);
}

/** Of each name in a suite, only the latest run is listed. */
async function listRuns(call: RepoCall) {
  const { world } = call;
  refuseUnsupported(call, ['check_name', 'status', 'app_id', 'filter']);
  const sha = await commitOr404(call, param(call, 'ref'));
  const own = world.store.checkRuns.filter((run) => run.repoId === call.repo.id && run.sha === sha);
  const rows = asSeen(call, world.store.checkRuns, own);
  const shown = latestRuns(rows).reverse();
  return listPage(
    call,
    shown,
    (run) => viewCheckRun(call, call.repo, run),
    (check_runs, total_count) => ({ total_count, check_runs }),
  );
}
