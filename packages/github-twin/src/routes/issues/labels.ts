import { z } from 'zod';
import { invalid, notFound } from '../../basics/api-error.js';
import { findLabel } from '../../domain/labels.js';
import { created, noContent, ok, param, readBody } from '../../rest/call.js';
import { listPage } from '../../rest/paginate.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Label } from '../../store/rows.js';
import { viewLabel } from '../../views/issue.js';

const color = z.string().regex(/^[0-9a-fA-F]{6}$/);

export const labelRoutes = [
  repoRoute('GET', '/labels', 'read', (call) => {
    const labels = call.world.store.labels.filter((row) => row.repoId === call.repo.id);
    return listPage(call, labels, (label) => viewLabel(call, call.repo, label));
  }),
  repoRoute('POST', '/labels', 'write', createLabel),
  repoRoute('GET', '/labels/{name}', 'read', (call) => ok(viewLabel(call, call.repo, labelOf(call)))),
  repoRoute('DELETE', '/labels/{name}', 'write', deleteLabel),
];

function labelOf(call: RepoCall): Label {
  const label = findLabel(call.world, call.repo, param(call, 'name'));
  if (!label) throw notFound();
  return label;
}

function createLabel(call: RepoCall) {
  const { store } = call.world;
  const body = readBody(call, {
    name: z.string(),
    color: z.string().optional(),
    description: z.string().optional(),
  });
  if (body.color !== undefined && !color.safeParse(body.color).success)
    throw invalid({ resource: 'Label', code: 'invalid', field: 'color' });
  if (findLabel(call.world, call.repo, body.name))
    throw invalid({ resource: 'Label', code: 'already_exists', field: 'name' });
  const label = store.labels.put({
    id: store.nextId(),
    repoId: call.repo.id,
    name: body.name,
    color: body.color ?? 'ededed',
    description: body.description ?? null,
  });
  return created(viewLabel(call, call.repo, label));
}

function deleteLabel(call: RepoCall) {
  const { store } = call.world;
  const label = labelOf(call);
  store.labels.remove(label.id);
  for (const issue of store.issues.filter((row) => row.labelIds.includes(label.id)))
    store.issues.put({ ...issue, labelIds: issue.labelIds.filter((id) => id !== label.id) });
  return noContent();
}
