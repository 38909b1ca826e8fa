import { z } from 'zod';
import { ApiError, forbidden, notFound } from '../api-error.js';
import { ensureSuite } from '../domain/checks.js';
import { created, numberParam, ok, readBody, refuseUnsupportedFields } from '../http/call.js';
import { listPage } from '../http/paginate.js';
import { Annotation, type CheckRun, Conclusion, Progress } from '../store/check-rows.js';
import { viewCheckRun } from '../views/checks.js';
import { repoPage } from '../views/repo.js';
import { type RepoCall, repoRoute } from './repo-route.js';
import { commitOf } from './resolve.js';

const output = z.object({
  title: z.string().optional(),
  summary: z.string(),
  text: z.string().optional(),
  annotations: z.array(Annotation).optional(),
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
  repoRoute('GET', one, 'read', (call) => ok(viewCheckRun(call, call.repo, runOf(call)))),
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
  repoRoute('GET', `${one}/annotations`, 'read', (call) => {
    const run = runOf(call);
    return listPage(call, run.annotations, (note) => viewAnnotation(call, run, note));
  }),
  repoRoute('POST', `${one}/rerequest`, 'write', (call) => {
    requireApp(call);
    call.world.store.checkRuns.put({ ...runOf(call), status: 'queued', conclusion: null, completedAt: null });
    return created({});
  }),
];

function runOf(call: RepoCall): CheckRun {
  const run = call.world.store.checkRuns.get(numberParam(call, 'check_run_id'));
  if (run?.repoId !== call.repo.id) throw notFound();
  return run;
}

/** Only apps may write checks; a personal token, however mighty, may not. */
export function requireApp(call: RepoCall): void {
  if (call.user.type !== 'Bot') throw forbidden('You must authenticate via a GitHub App.');
}

async function createRun(call: RepoCall) {
  requireApp(call);
  refuseUnsupportedFields(call, ['actions']);
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
    annotations: [],
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
    annotations: [...run.annotations, ...(body.output?.annotations ?? [])],
  };
}

function viewAnnotation(call: RepoCall, run: CheckRun, note: Annotation) {
  return {
    start_column: null,
    end_column: null,
    title: null,
    raw_details: null,
    ...note,
    blob_href: `${repoPage(call, call.repo)}/blob/${run.sha}/${note.path}`,
  };
}
