import { z } from 'zod';
import { ApiError, forbidden } from '../../basics/api-error.js';
import { ensureSuite, latestRuns } from '../../domain/checks.js';
import { created, ok, param, readBody, refuseUnsupported, rowParam } from '../../rest/call.js';
import { applyLag, listCounted, listPage } from '../../rest/lists.js';
import { commitOf, commitOr404, type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { Annotation, type CheckReport, type CheckRun, Conclusion, Progress } from '../../store/rows.js';
import { viewAnnotation, viewCheckRun } from '../../views/checks.js';
import { born, stampOf } from '../../world/world.js';

const LONGEST_TEXT = 65_535;
const text = z.string().max(LONGEST_TEXT);

const Output = z.strictObject({
  title: z.string(),
  summary: text,
  text: text.optional(),
  annotations: z.array(Annotation).default([]),
});
const shape = {
  status: Progress.optional(),
  conclusion: Conclusion.optional(),
  details_url: z.string().optional(),
  external_id: z.string().optional(),
  started_at: z.string().optional(),
  completed_at: z.string().optional(),
  /** As on GitHub, an update adds its annotations to the earlier ones. */
  output: Output.optional(),
};
type Progressed = z.infer<z.ZodObject<typeof shape>>;

export const checkRunRoutes = [
  repoRoute('POST /check-runs', createRun, 'write'),
  repoRoute(
    'PATCH /check-runs/{check_run_id}',
    (call) => {
      requireApp(call);
      const run = rowParam(call, 'check_run_id', call.world.store.checkRuns);
      const { name = run.name, ...progress } = readBody(call, { ...shape, name: z.string().optional() });
      const owner = call.world.store.checkSuites.get(run.suiteId)?.app ?? '';
      if (owner !== call.user.login)
        throw forbidden(
          `Invalid app_id \`${owner}\` - check run can only be modified by the GitHub App that created it.`,
        );
      return ok(store(call, { ...run, name }, progress));
    },
    'write',
  ),
  repoRoute('GET /commits/{ref}/check-runs', listRuns),
  repoRoute('GET /check-runs/{check_run_id}/annotations', (call) => {
    const run = rowParam(call, 'check_run_id', call.world.store.checkRuns);
    return listPage(call, run.annotations, (_, annotation) => viewAnnotation(call, run, annotation));
  }),
];

/** Throws unless the user is an App. A personal token cannot write checks, whatever its scopes. */
function requireApp(call: RepoCall): void {
  if (call.user.type !== 'Bot') throw forbidden('You must authenticate via a GitHub App.');
}

async function createRun(call: RepoCall) {
  requireApp(call);
  const { world, repo, user } = call;
  const body = readBody(call, { ...shape, name: z.string(), head_sha: z.string() });
  const { name, head_sha, ...progress } = body;
  const sha = await commitOf(call, head_sha);
  const { id: suiteId } = ensureSuite(call, { sha, app: user.login });
  const queued = {
    status: 'queued' as const,
    conclusion: null,
    startedAt: stampOf(world),
    completedAt: null,
    annotations: [],
  };
  const run = { ...born(world), ...queued, repoId: repo.id, suiteId, sha, name };
  return created(store(call, run, progress));
}

/** Stores a check run. A check run is completed if and only if it has a conclusion. */
function store(call: RepoCall, run: CheckRun, progress: Progressed) {
  const { world } = call;
  if (progress.status === 'completed' && progress.conclusion === undefined)
    throw new ApiError(422, 'Invalid request.\n\n"conclusion" wasn\'t supplied.');
  const status = progress.conclusion === undefined ? (progress.status ?? run.status) : 'completed';
  const done = status === 'completed';
  const conclusion = done ? (progress.conclusion ?? run.conclusion) : null;
  const startedAt = progress.started_at ?? run.startedAt;
  const completedAt = done ? (progress.completed_at ?? run.completedAt ?? stampOf(world)) : null;
  const annotations = [...run.annotations, ...(progress.output?.annotations ?? [])];
  const report = mergeReport(run.report, progress);
  const next = { ...run, status, conclusion, startedAt, completedAt, annotations, report };
  return viewCheckRun(call, world.store.checkRuns.put(next));
}

const EMPTY = { title: null, summary: null, text: null, detailsUrl: null, externalId: '' };

function mergeReport(before: CheckReport = EMPTY, { output, ...fields }: Progressed): CheckReport {
  return {
    title: output?.title ?? before.title,
    summary: output?.summary ?? before.summary,
    text: output?.text ?? before.text,
    detailsUrl: fields.details_url ?? before.detailsUrl,
    externalId: fields.external_id ?? before.externalId,
  };
}

/** Lists only the latest run of each check in a suite. */
async function listRuns(call: RepoCall) {
  refuseUnsupported(call, ['check_name', 'status', 'app_id', 'filter']);
  const { checkRuns } = call.world.store;
  const sha = await commitOr404(call, param(call, 'ref'));
  const own = checkRuns.filter((run) => run.repoId === call.repo.id && run.sha === sha);
  const rows = latestRuns(applyLag(call, checkRuns, own)).reverse();
  return listCounted(call, 'check_runs', { rows, view: viewCheckRun });
}
