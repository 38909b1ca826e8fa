import { ApiError, notFound, refusedByTwin } from '../basics/api-error.js';
import { actingAs } from '../history/history.js';
import { renderIn } from '../http/api-version.js';
import { refuseInvalid, refuseUnknown } from '../spec/strict-request.js';
import { addHtml } from '../uploads/add-html.js';
import type { Answer, Call } from './call.js';
import type { Match } from './router.js';

export type Dispatched = Answer & { json?: string };
export type Question = Omit<Call, 'template' | 'params'>;

/** Routes that `gh` uses even though GitHub's API description lacks them. */
const UNDESCRIBED = new Set(['/', '/repos/{owner}/{repo}/actions/workflows']);

/**
 * Validates a request against GitHub's API description, runs its route and validates the response. Both the HTTP server
 * and `createPerson` use this function.
 */
export async function dispatch(match: Match | undefined, question: Question): Promise<Dispatched> {
  const { world, user } = question;
  if (!match) {
    const route = `${question.method} ${question.path}`;
    world.history.record({ kind: 'violation', route, errors: ['the twin has no such route'] });
    return toAnswer(notFound());
  }
  const { template, handle } = match.route;
  const call: Call = { ...question, template, params: match.params };
  try {
    refuseNul(call);
    refuseMedia(call);
    refuseUnknown(world.validators, call);
    refuseInvalid(world.validators, call);
    const answer = await actingAs(user.login, async () => handle(call));
    return checkResponse(call, distort(call, addHtml(call, answer)));
  } catch (error) {
    if (error instanceof ApiError) return checkResponse(call, toAnswer(error));
    throw error;
  }
}

/** Rejects NUL in parameters, because no name contains it and git does not accept it in an argument. */
function refuseNul({ params, query }: Call): void {
  if (Object.values(params).some((value) => value.includes('\0'))) throw notFound();
  if ([...query.values()].some((value) => value.includes('\0')))
    throw new ApiError(422, 'Invalid request.\n\nA parameter contains a NUL character.');
}

/** Rejects unsupported media types. The twin supports only JSON, with or without HTML, and diffs. */
function refuseMedia({ accept }: Call): void {
  const [, asked] = /application\/vnd\.github\.(?:v3\.)?(patch|raw|sha)(?![\w-])/.exec(accept) ?? [];
  if (asked) throw refusedByTwin(501, `it does not implement the media type "${asked}"`);
}

function distort(call: Call, answer: Answer): Answer {
  if (answer.body === undefined) return answer;
  const { tamper } = call.world.quirks;
  const body = call.hideUsers ? hideUsers(call, answer) : answer.body;
  return { ...answer, body: tamper ? tamper(`${call.method} ${call.template}`, body) : body };
}

/** Sets `user` to null, as GitHub does for deleted accounts, wherever its API description allows null. */
function hideUsers(call: Call, { status, body }: Answer): unknown {
  const hideOne = (row: unknown) =>
    typeof row === 'object' && row !== null && 'user' in row ? { ...row, user: null } : row;
  const hidden = Array.isArray(body) ? body.map(hideOne) : hideOne(body);
  const errors = call.world.validators.checkResponse(call, { status, body: hidden });
  return errors.length === 0 ? hidden : body;
}

function toAnswer({ status, body, headers }: ApiError): Dispatched {
  return { status, body, headers, json: JSON.stringify(body) };
}

/** Replaces an invalid response with a 500, so that no client comes to depend on a bug in the twin. */
function checkResponse(call: Call, answer: Answer): Dispatched {
  if (answer.text !== undefined) return answer;
  const { world, method, template } = call;
  const { status, body } = answer;
  const json = body === undefined ? '' : JSON.stringify(body);
  const errors = UNDESCRIBED.has(template)
    ? []
    : world.validators.checkResponse(call, { status, body, json });
  if (errors.length === 0)
    return body === undefined ? answer : { ...answer, json: renderIn(call.apiVersion, body) };
  const route = `${method} ${template}`;
  world.history.record({ kind: 'violation', route, errors });
  return toAnswer(refusedByTwin(500, `its own ${status} to ${route} does not conform: ${errors.join('; ')}`));
}
