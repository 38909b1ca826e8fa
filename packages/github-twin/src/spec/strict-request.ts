import { ApiError, refusedByTwin } from '../basics/api-error.js';
import { type Json, operationOf, parametersOf, type Slice } from './slice.js';
import type { Validators } from './validators.js';

export type AskedFor = { method: string; template: string; query: URLSearchParams; body: unknown };

/** GitHub ignores what it does not know, silently; a client that relies on it has invented an API. */
export function refuseUnknown(validators: Validators, asked: AskedFor): void {
  const operation = operationOf(validators.slice, asked.method, asked.template);
  if (!operation) return;
  const known = new Map(
    parametersOf(validators.slice, operation).flatMap((parameter) =>
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
  const where = { route: `${asked.method} ${asked.template}`, at: '' };
  refuseUnknownFields(validators, [schema], asked.body, where);
}

/** What GitHub itself checks, strict or not: types, enums and required fields. */
export function refuseInvalid(validators: Validators, asked: AskedFor): void {
  const found = validators.checkBody(asked.method, asked.template, asked.body ?? {});
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

/** "When specified, all parameters other than body in the request body are ignored", those that are required too. */
function isReply({ method, template, body }: AskedFor): boolean {
  return method === 'POST' && template === COMMENTS && isObject(body) && 'in_reply_to' in body;
}

function isAboutReply({ instancePath, params }: { instancePath: string; params: Json }): boolean {
  const field = instancePath === '' ? params['missingProperty'] : instancePath.slice(1);
  return field === 'body' || field === 'in_reply_to';
}

/** Also in objects within objects and lists: `comments[0].linee` of a review is as invented as a field of the review. */
function refuseUnknownFields(
  { slice }: Pick<Validators, 'slice'>,
  schemas: unknown[],
  value: unknown,
  where: Where,
): void {
  const shapes = schemas.flatMap((schema) => expand(slice, schema));
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items: inner }) => (inner === undefined ? [] : [inner]));
    for (const row of value) refuseUnknownFields({ slice }, items, row, { ...where, at: `${where.at}[]` });
  }
  if (!isObject(value)) return;
  const objects = shapes.map(({ properties }) => properties).filter(isObject);
  // Objects that the description leaves open can hold anything; only the body itself must be described.
  if (objects.length === 0 && where.at !== '') return;
  for (const [field, inner] of Object.entries(value)) {
    const known = objects.flatMap((properties) => (field in properties ? [properties[field]] : []));
    const name = where.at === '' ? field : `${where.at}.${field}`;
    if (known.length === 0) throw refusedByTwin(422, `${where.route} has no body field "${name}"`);
    refuseUnknownFields({ slice }, known, inner, { ...where, at: name });
  }
}

type Where = { route: string; at: string };

/** A schema with everything that it refers to, combines or lets choose from. */
function expand(slice: Slice, schema: unknown): Record<string, unknown>[] {
  if (!isObject(schema)) return [];
  const ref = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined;
  const target = ref === undefined ? [] : [slice.components.schemas[ref]];
  const parts = [schema['oneOf'], schema['anyOf'], schema['allOf'], target];
  const inner = parts.flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...inner.flatMap((part) => expand(slice, part))];
}

function fromText(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
