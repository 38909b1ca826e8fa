import { z } from 'zod';
import { notFound } from '../api-error.js';
import { computeSuiteState, ensureSuite, latestRuns } from '../domain/checks.js';
import { created, numberParam, ok, param, readBody, refuseUnsupported } from '../http/call.js';
import { asSeen, listPage } from '../http/paginate.js';
import type { CheckRun, CheckSuite } from '../store/check-rows.js';
import { viewApp, viewCheckRun, viewCheckSuite } from '../views/checks.js';
import { requireApp } from './check-runs.js';
import { type RepoCall, repoRoute } from './repo-route.js';
import { commitOf, commitOr404 } from './resolve.js';

const one = '/check-suites/{check_suite_id}';

export const checkSuiteRoutes = [
  repoRoute('GET', '/commits/{ref}/check-runs', 'read', async (call) => {
    const sha = await commitOr404(call, param(call, 'ref'));
    return listRuns(call, (run) => run.repoId === call.repo.id && run.sha === sha);
  }),
  repoRoute('GET', '/commits/{ref}/check-suites', 'read', async (call) => {
    const sha = await commitOr404(call, param(call, 'ref'));
    refuseUnsupported(call, ['check_name']);
    const app = call.query.get('app_id');
    const suites = call.world.store.checkSuites
      .filter((row) => row.repoId === call.repo.id && row.sha === sha)
      .filter((row) => app === null || String(viewApp(call, row.app)?.id) === app);
    return listPage(
      call,
      suites,
      (suite) => viewOne(call, suite),
      (check_suites, total_count) => ({ total_count, check_suites }),
    );
  }),
  repoRoute('POST', '/check-suites', 'write', async (call) => {
    requireApp(call);
    const sha = await commitOf(call, readBody(call, { head_sha: z.string() }).head_sha);
    return created(await viewOne(call, ensureSuite(call.world, call.repo, sha, call.user.login)));
  }),
  repoRoute('GET', one, 'read', async (call) => ok(await viewOne(call, suiteOf(call)))),
  repoRoute('GET', `${one}/check-runs`, 'read', (call) => {
    const suite = suiteOf(call);
    return listRuns(call, (run) => run.suiteId === suite.id);
  }),
  repoRoute('POST', `${one}/rerequest`, 'write', (call) => {
    requireApp(call);
    suiteOf(call);
    return created({});
  }),
];

function suiteOf(call: RepoCall): CheckSuite {
  const suite = call.world.store.checkSuites.get(numberParam(call, 'check_suite_id'));
  if (suite?.repoId !== call.repo.id) throw notFound();
  return suite;
}

async function viewOne(call: RepoCall, suite: CheckSuite) {
  const commit = await call.world.depot(call.repo).readCommit(suite.sha);
  return viewCheckSuite(call, call.repo, suite, computeSuiteState(call.world, suite), commit);
}

/** By default only the latest run of each name in a suite is listed. */
function listRuns(call: RepoCall, test: (run: CheckRun) => boolean) {
  const { query, world } = call;
  const [name, status] = [query.get('check_name'), query.get('status')];
  const app = query.get('app_id');
  const rows = asSeen(call, world.store.checkRuns, world.store.checkRuns.filter(test))
    .filter((run) => (name === null || run.name === name) && (status === null || run.status === status))
    .filter(
      (run) =>
        app === null ||
        String(viewApp(call, world.store.checkSuites.get(run.suiteId)?.app ?? '')?.id) === app,
    );
  const shown = (query.get('filter') === 'all' ? rows : latestRuns(rows)).reverse();
  return listPage(
    call,
    shown,
    (run) => viewCheckRun(call, call.repo, run),
    (check_runs, total_count) => ({ total_count, check_runs }),
  );
}
