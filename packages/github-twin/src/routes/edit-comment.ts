import { z } from 'zod';
import { forbidden } from '../basics/api-error.js';
import { mayAct } from '../domain/permissions.js';
import { checkBodyText } from '../domain/texts.js';
import { readBody } from '../rest/call.js';
import type { RepoCall } from '../rest/repo-route.js';
import { stampOf } from '../world/world.js';

type Editable = { userId: number; body: string; updatedAt: string };

/** Throws unless the user wrote the comment or has write access. */
export function checkEditable<Row extends Editable>(call: RepoCall, comment: Row): Row {
  if (comment.userId !== call.user.id && !mayAct(call.repo, call, 'write'))
    throw forbidden('Must have write access to Repository.');
  return comment;
}

/** Changes the text of a comment. If the text stays the same, `updated_at` does not change. */
export function editComment<Row extends Editable>(
  call: RepoCall,
  table: { put(row: Row): Row },
  { resource, comment }: { resource: string; comment: Row },
): Row {
  checkEditable(call, comment);
  const body = checkBodyText(resource, readBody(call, { body: z.string() }).body);
  return body === comment.body ? comment : table.put({ ...comment, body, updatedAt: stampOf(call.world) });
}
