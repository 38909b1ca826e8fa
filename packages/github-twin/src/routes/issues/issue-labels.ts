import { z } from 'zod';
import { notFound } from '../../basics/api-error.js';
import { findIssue, touch } from '../../domain/issues.js';
import { ensureLabels, findLabel } from '../../domain/labels.js';
import { numberParam, ok, param, readBody } from '../../rest/call.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { Issue } from '../../store/rows.js';
import { viewLabels } from '../../views/issue.js';

const name = z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]);
const shape = { labels: z.array(name).default([]) };
const path = '/issues/{issue_number}/labels';

export const issueLabelRoutes = [
  repoRoute('POST', path, 'triage', (call) => {
    const added = ensureLabels(call.world, call.repo, readBody(call, shape).labels);
    return setLabels(call, [...new Set([...issueOf(call).labelIds, ...added])]);
  }),
  repoRoute('DELETE', `${path}/{name}`, 'triage', (call) => {
    const label = findLabel(call.world, call.repo, param(call, 'name'));
    const { labelIds } = issueOf(call);
    if (!label || !labelIds.includes(label.id)) throw notFound();
    return setLabels(
      call,
      labelIds.filter((id) => id !== label.id),
    );
  }),
];

function issueOf(call: RepoCall): Issue {
  return findIssue(call.world, call.repo, numberParam(call, 'issue_number'));
}

function setLabels(call: RepoCall, labelIds: number[]) {
  const issue = issueOf(call);
  const same = labelIds.join() === issue.labelIds.join();
  const changed = same ? issue : touch(call.world, { ...issue, labelIds });
  return ok(viewLabels(call, call.repo, changed));
}
