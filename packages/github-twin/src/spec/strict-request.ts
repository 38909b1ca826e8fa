import { ApiError, refusedByTwin } from '../api-error.js';
import { operationOf, parametersOf } from './slice.js';
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
  refuseUnknownFields(operation.requestBody?.content['application/json']?.schema, asked);
}

/** What GitHub itself checks, strict or not: types, enums and required fields. */
export function refuseInvalid(validators: Validators, asked: AskedFor): void {
  const errors = validators.checkBody(asked.method, asked.template, asked.body ?? {});
  if (errors.length === 0) return;
  const sentences = errors.map(({ keyword, params, instancePath, message }) =>
    keyword === 'required'
      ? `"${params['missingProperty']}" wasn't supplied.`
      : `For '${instancePath.slice(1) || 'body'}', it ${message}.`,
  );
  throw new ApiError(422, `Invalid request.\n\n${sentences.join('\n')}`);
}

function refuseUnknownFields(schema: Record<string, unknown> | undefined, asked: AskedFor): void {
  if (!isObject(asked.body)) return;
  const known = knownFields(schema);
  for (const field of Object.keys(asked.body)) {
    if (!known.has(field))
      throw refusedByTwin(422, `${asked.method} ${asked.template} has no body field "${field}"`);
  }
}

function knownFields(schema: unknown): Set<string> {
  if (!isObject(schema)) return new Set();
  const { properties, oneOf, anyOf } = schema;
  const choices = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return new Set([
    ...(isObject(properties) ? Object.keys(properties) : []),
    ...choices.flatMap((choice) => [...knownFields(choice)]),
  ]);
}

function fromText(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === 'true' ? true : text === 'false' ? false : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
