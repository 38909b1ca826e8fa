import { ApiError, refusedByTwin } from '../basics/api-error.js';
import { type Json, operationOf, parametersOf, type Spec } from './load-spec.js';
import { isObject } from './overrides.js';
import type { Validators } from './validators.js';

export type AskedFor = { method: string; template: string; query: URLSearchParams; body: unknown };

/** Rejects unknown parameters and fields. GitHub silently ignores them, but they are client mistakes. */
export function refuseUnknown(validators: Validators, asked: AskedFor): void {
  const operation = operationOf(validators.spec, asked.method, asked.template);
  if (!operation) return;
  const known = new Map(
    parametersOf(validators.spec, operation).flatMap((parameter) =>
      parameter.in === 'query' ? [[parameter.name, parameter] as const] : [],
    ),
  );
  for (const [name, value] of asked.query) {
    const parameter = known.get(name);
    if (!parameter) throw refusedByTwin(422, `${asked.template} has no query parameter "${name}"`);
    if (!parameter.schema) continue;
    const typed =
      parameter.schema['type'] === 'integer' || parameter.schema['type'] === 'boolean'
        ? fromText(value)
        : value;
    const [error] = validators.checkParameter(name, parameter.schema, typed);
    if (error) throw refusedByTwin(422, `query parameter "${name}=${value}": ${error}`);
  }
  const schema = operation.requestBody?.content['application/json']?.schema;
  const where = { spec: validators.spec, route: `${asked.method} ${asked.template}`, at: '' };
  refuseUnknownFields(where, [schema], asked.body);
}

/** Checks the types, enums and required fields of a body, as GitHub does. */
export function refuseInvalid(validators: Validators, asked: AskedFor): void {
  const found = validators.checkBody(asked, asked.body ?? {});
  const errors = isReply(asked) ? found.filter(isAboutReply) : found;
  if (errors.length === 0) return;
  const sentences = errors.map(({ keyword, params, instancePath, message }) =>
    keyword === 'required'
      ? `"${params['missingProperty']}" wasn't supplied.`
      : `For '${instancePath.slice(1) || 'body'}', it ${message}.`,
  );
  throw new ApiError(422, `Invalid request.\n\n${sentences.join('\n')}`);
}

const COMMENTS = '/repos/{owner}/{repo}/pulls/{pull_number}/comments';

/** True for a reply. In a reply, GitHub ignores all fields except `body`, even required fields. */
function isReply({ method, template, body }: AskedFor): boolean {
  return method === 'POST' && template === COMMENTS && isObject(body) && 'in_reply_to' in body;
}

function isAboutReply({ instancePath, params }: { instancePath: string; params: Json }): boolean {
  const field = instancePath === '' ? params['missingProperty'] : instancePath.slice(1);
  return field === 'body' || field === 'in_reply_to';
}

/** Also checks nested objects and lists, such as `comments[0].linee` of a review. */
function refuseUnknownFields(where: Where, schemas: unknown[], value: unknown): void {
  const shapes = schemas.flatMap((schema) => expand(where.spec, schema));
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items: inner }) => (inner === undefined ? [] : [inner]));
    for (const row of value) refuseUnknownFields({ ...where, at: `${where.at}[]` }, items, row);
  }
  if (!isObject(value)) return;
  const objects = shapes.map(({ properties }) => properties).filter(isObject);
  // The description allows any field in some nested objects, but never in the body itself.
  if (objects.length === 0 && where.at !== '') return;
  for (const [field, inner] of Object.entries(value)) {
    const known = objects.flatMap((properties) => (field in properties ? [properties[field]] : []));
    const at = where.at === '' ? field : `${where.at}.${field}`;
    if (known.length === 0) throw refusedByTwin(422, `${where.route} has no body field "${at}"`);
    refuseUnknownFields({ ...where, at }, known, inner);
  }
}

type Where = { spec: Spec; route: string; at: string };

/** Returns a schema and all schemas that it references or combines. */
function expand(spec: Spec, schema: unknown): Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  const ref = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  const target = ref === undefined ? [] : [spec.components.schemas[ref]];
  const parts = [schema['oneOf'], schema['anyOf'], schema['allOf'], target];
  const inner = parts.flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...inner.flatMap((part) => expand(spec, part))];
}

function fromText(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}
