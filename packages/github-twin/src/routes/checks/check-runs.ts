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

const output = z.strictObject({
  title: z.string().optional(),
  summary: z.string(),
  text: z.string().optional(),
});
const shape = {
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  status: Progress.optional(),
  conclusion: Conclusion.optional(),
  started_at: z.string().optional(),
  completed_at: z.string().optional(),
  output: output.optional(),
};
const one = '/check-runs/{check_run_id}';

export const checkRunRoutes = [
  repoRoute('POST', '/check-runs', 'write', createRun),
  repoRoute('PATCH', one, 'write', (call) => {
    requireApp(call);
    const body = readBody(call, { ...shape, name: z.string().optional() });
    const run = runOf(call);
    return ok(
      viewCheckRun(
        call,
        call.repo,
        call.world.store.checkRuns.put(applyFields(call, { ...run, name: body.name ?? run.name }, body)),
      ),
    );
  }),
  repoRoute('GET', '/commits/{ref}/check-runs', 'read', listRuns),
];

function runOf(call: RepoCall): CheckRun {
  const run = call.world.store.checkRuns.get(numberParam(call, 'check_run_id'));
  if (run?.repoId !== call.repo.id) throw notFound();
  return run;
}

/** Only apps may write checks; a personal token, however mighty, may not. */
function requireApp(call: RepoCall): void {
  if (call.user.type !== 'Bot') throw forbidden('You must authenticate via a GitHub App.');
}

async function createRun(call: RepoCall) {
  requireApp(call);
  refuseUnsupportedFields(call.body, ['actions']);
  const body = readBody(call, { ...shape, name: z.string(), head_sha: z.string() });
  const { world, repo, user } = call;
  const sha = await commitOf(call, body.head_sha);
  if (body.status === 'completed' && body.conclusion === undefined)
    throw new ApiError(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.');
  const suite = ensureSuite(world, repo, sha, user.login);
  const blank: CheckRun = {
    id: world.store.nextId(),
    repoId: repo.id,
    suiteId: suite.id,
    sha,
    name: body.name,
    externalId: '',
    detailsUrl: null,
    status: 'queued',
    conclusion: null,
    startedAt: world.stamp(),
    completedAt: null,
    title: null,
    summary: null,
    text: null,
    bornMs: world.clock.now(),
  };
  return created(viewCheckRun(call, repo, world.store.checkRuns.put(applyFields(call, blank, body))));
}

type Fields = z.infer<z.ZodObject<typeof shape>>;

function applyFields(call: RepoCall, run: CheckRun, body: Fields): CheckRun {
  const conclusion = body.conclusion ?? run.conclusion;
  const status = body.conclusion === undefined ? (body.status ?? run.status) : 'completed';
  return {
    ...run,
    externalId: body.external_id ?? run.externalId,
    detailsUrl: body.details_url ?? run.detailsUrl,
    status,
    conclusion: status === 'completed' ? conclusion : null,
    startedAt: body.started_at ?? run.startedAt,
    completedAt: status === 'completed' ? (body.completed_at ?? run.completedAt ?? call.world.stamp()) : null,
    title: body.output?.title ?? run.title,
    summary: body.output?.summary ?? run.summary,
    text: body.output?.text ?? run.text,
  };
}

/** By default only the latest run of each name in a suite is listed. */
async function listRuns(call: RepoCall) {
  const { query, world } = call;
  refuseUnsupported(call, ['check_name', 'status', 'app_id']);
  const sha = await commitOr404(call, param(call, 'ref'));
  const own = world.store.checkRuns.filter((run) => run.repoId === call.repo.id && run.sha === sha);
  const rows = asSeen(call, world.store.checkRuns, own);
  const shown = (query.get('filter') === 'all' ? rows : latestRuns(rows)).reverse();
  return listPage(
    call,
    shown,
    (run) => viewCheckRun(call, call.repo, run),
    (check_runs, total_count) => ({ total_count, check_runs }),
  );
}
