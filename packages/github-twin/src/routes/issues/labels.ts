import { z } from 'zod';
import { invalid, notFound } from '../../basics/api-error.js';
import { findIssue, touch } from '../../domain/issues.js';
import { addLabel, ensureLabels, findLabel } from '../../domain/labels.js';
import { created, noContent, numberParam, ok, param, readBody } from '../../rest/call.js';
import { listPage } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Issue, Label } from '../../store/rows.js';
import { viewLabel, viewLabels } from '../../views/issue.js';

export const LabelNames = z.array(
  z.union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)]),
);

export const labelRoutes = [
  repoRoute('GET /labels', (call) => {
    const labels = call.world.store.labels.filter((row) => row.repoId === call.repo.id);
    return listPage(call, labels, viewLabel);
  }),
  repoRoute('POST /labels', createLabel, 'write'),
  repoRoute('GET /labels/{name}', (call) => ok(viewLabel(call, labelOf(call)))),
  repoRoute('DELETE /labels/{name}', deleteLabel, 'write'),
  repoRoute(
    'POST /issues/{issue_number}/labels',
    (call) => {
      const added = ensureLabels(call, readBody(call, { labels: LabelNames.default([]) }).labels);
      const issue = issueOf(call);
      return setLabels(call, issue, [...new Set([...issue.labelIds, ...added])]);
    },
    'triage',
  ),
  repoRoute(
    'DELETE /issues/{issue_number}/labels/{name}',
    (call) => {
      const { id } = labelOf(call);
      const issue = issueOf(call);
      if (!issue.labelIds.includes(id)) throw notFound();
      return setLabels(
        call,
        issue,
        issue.labelIds.filter((worn) => worn !== id),
      );
    },
    'triage',
  ),
];

const issueOf = (call: RepoCall) => findIssue(call, numberParam(call, 'issue_number'));

function labelOf(call: RepoCall): Label {
  const label = findLabel(call, param(call, 'name'));
  if (!label) throw notFound();
  return label;
}

function setLabels(call: RepoCall, issue: Issue, labelIds: number[]) {
  const same = labelIds.join() === issue.labelIds.join();
  return ok(viewLabels(call, same ? issue : touch(call.world, { ...issue, labelIds })));
}

function createLabel(call: RepoCall) {
  const text = z.string();
  const label = readBody(call, { name: text, color: text.optional(), description: text.optional() });
  const refuse = (field: string, code: string) => invalid({ resource: 'Label', code, field });
  if (label.color !== undefined && !/^[0-9a-f]{6}$/i.test(label.color)) throw refuse('color', 'invalid');
  if (findLabel(call, label.name)) throw refuse('name', 'already_exists');
  return created(viewLabel(call, addLabel(call, label)));
}

function deleteLabel(call: RepoCall) {
  const { store } = call.world;
  const { id } = labelOf(call);
  store.labels.remove(id);
  for (const issue of store.issues.filter((row) => row.labelIds.includes(id)))
    store.issues.put({ ...issue, labelIds: issue.labelIds.filter((worn) => worn !== id) });
  return noContent();
}
