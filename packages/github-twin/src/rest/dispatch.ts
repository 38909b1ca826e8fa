import { ApiError, refusedByTwin } from '../basics/api-error.js';
import { actingAs } from '../history/history.js';
import { operationOf } from '../spec/slice.js';
import { refuseInvalid, refuseUnknown } from '../spec/strict-request.js';
import type { World } from '../world/world.js';
import type { Answer, Call } from './call.js';
import { hideUsers } from './hide-users.js';
import type { Match } from './router.js';

export type Dispatched = Answer & { json?: string };
export type Question = Omit<Call, 'template' | 'params'> & { hideUsers?: boolean };

/** Routes that GitHub has and its vendored description lacks; the gh program asks for them. */
const UNDESCRIBED = new Set(['/', '/repos/{owner}/{repo}/actions/workflows']);

/**
 * From a request to an answer, without any transport: checks what was asked against GitHub's description, lets the
 * route work, and checks what it said. The HTTP server and the twin's own people both come through here.
 */
export async function dispatch(match: Match | undefined, question: Question): Promise<Dispatched> {
  const { world, user } = question;
  if (!match) {
    if (world.quirks.strict)
      note(world, `${question.method} ${question.path}`, ['the twin has no such route']);
    return toAnswer(new ApiError(404, 'Not Found'));
  }
  const { template, method, handle } = match.route;
  const call: Call = { ...question, template, params: match.params };
  try {
    refuseNul(call);
    refuseMedia(call);
    if (world.quirks.strict) refuseUnknown(world.validators, call);
    refuseInvalid(world.validators, call);
    const answer = await actingAs(user.login, async () => handle(call));
    return checkAnswer(world, `${method} ${template}`, prepare(question, call, answer), call);
  } catch (error) {
    if (error instanceof ApiError) return checkAnswer(world, `${method} ${template}`, toAnswer(error), call);
    throw error;
  }
}

/** No name contains it, and no program takes it as an argument. */
function refuseNul({ params, query }: Call): void {
  if (Object.values(params).some((value) => value.includes('\0'))) throw new ApiError(404, 'Not Found');
  if ([...query.values()].some((value) => value.includes('\0')))
    throw new ApiError(422, 'Invalid request.\n\nA parameter contains a NUL character.');
}

/** The diff of a pull request is the one form besides JSON. */
function refuseMedia({ accept }: Call): void {
  const [, asked] = /application\/vnd\.github\.(?:v3\.)?(patch|raw|sha)(?![\w-])/.exec(accept) ?? [];
  if (asked) throw refusedByTwin(501, `it does not implement the media type "${asked}"`);
}

function prepare(question: Question, call: Call, answer: Answer): Answer {
  if (answer.body === undefined) return answer;
  const { tamper } = call.world.quirks;
  const hidden = question.hideUsers ? { ...answer, body: hideUsers(call, answer) } : answer;
  return tamper ? { ...hidden, body: tamper(`${call.method} ${call.template}`, hidden.body) } : hidden;
}

export function toAnswer(error: ApiError): Answer {
  return { status: error.status, body: error.body, headers: error.headers };
}

/** An answer that GitHub could not give is a bug of the twin: it must not reach a client that might learn from it. */
function checkAnswer(world: World, route: string, answer: Answer, call: Call): Dispatched {
  if (answer.text !== undefined) return answer;
  const json = answer.body === undefined ? '' : JSON.stringify(answer.body);
  const described = operationOf(world.validators.slice, call.method, call.template) !== undefined;
  const fine = answer.body === undefined ? answer : { ...answer, json };
  if (!world.quirks.strict || UNDESCRIBED.has(call.template)) return fine;
  const errors = described
    ? world.validators.checkText(call.method, call.template, answer.status, json, answer.body)
    : ['this route is not in GitHub’s description'];
  if (errors.length === 0) return fine;
  note(world, route, errors);
  const bug = toAnswer(
    refusedByTwin(500, `its own ${answer.status} to ${route} does not conform: ${errors.join('; ')}`),
  );
  return { ...bug, json: JSON.stringify(bug.body) };
}

function note(world: World, route: string, errors: string[]): void {
  world.history.record({ kind: 'violation', route, errors });
}
