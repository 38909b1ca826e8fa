import { createHash } from 'node:crypto';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { applyOverrides, toJsonSchema } from './overrides.js';
import { isDocumented, type Json, loadSlice, operationOf, responseSchemaOf, type Slice } from './slice.js';

export type Validators = ReturnType<typeof createValidators>;

/** `fetch`es say what they got; this says whether GitHub could have said it. Shared by the twin and the contract suite. */
export function createValidators() {
  const slice = loadSlice();
  applyOverrides(slice);
  const compile = createCompiler(slice);
  const conforming = createSeenBefore(2_000);

  return {
    slice,
    /** Why an answer is none that GitHub describes; empty when it conforms. */
    checkAnswer(method: string, template: string, status: number, body: unknown): string[] {
      const operation = operationOf(slice, method, template);
      if (!operation) return [`${method} ${template} is not in GitHub's description`];
      // Any GET can be conditional; the description mentions it for a few only.
      if (status === 304 && method === 'GET') return body === undefined ? [] : ['a 304 has no body'];
      // A renamed repository redirects whatever is asked of it.
      const moved = status === 301 || status === 307;
      if (!isDocumented(operation, status) && status < 400 && !moved)
        return [`${status} is not documented for ${template}`];
      const schema =
        responseSchemaOf(slice, operation, status) ?? (status >= 400 || moved ? BASIC_ERROR : undefined);
      if (!schema) return body === undefined ? [] : [`${status} of ${template} has no body`];
      return check(compile(`${method} ${template} ${status}`, schema), body);
    },
    /** The same, remembering texts that passed: an idle poll sends the same page again and again. */
    checkText(method: string, template: string, status: number, text: string, body: unknown): string[] {
      const key = createHash('sha1').update(`${method} ${template} ${status}\n${text}`).digest('base64');
      if (conforming.has(key)) return [];
      const errors = this.checkAnswer(method, template, status, body);
      if (errors.length === 0) conforming.add(key);
      return errors;
    },
    checkBody(method: string, template: string, body: unknown): ErrorObject[] {
      const schema = operationOf(slice, method, template)?.requestBody?.content['application/json']?.schema;
      if (!schema) return [];
      const validate = compile(`${method} ${template} body`, schema);
      return validate(body) ? [] : [...(validate.errors ?? [])];
    },
    checkParameter(name: string, schema: Json, value: unknown): string[] {
      return check(compile(`parameter ${name} ${JSON.stringify(schema)}`, schema), value);
    },
  };
}

const BASIC_ERROR: Json = {
  $ref: '#/components/schemas/basic-error',
  required: ['message', 'documentation_url'],
};

function createCompiler(slice: Slice): (key: string, schema: Json) => ValidateFunction {
  // Every test suite compiles these schemas again: without inlining and optimising that takes less than half the time.
  const quick = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, ...quick });
  // The package is CommonJS: its function is the namespace's default, or that default's default.
  const { default: addFormats } = formats.default;
  addFormats(ajv);
  ajv.addSchema({ $id: 'gh', components: toJsonSchema(slice.components) });
  const compiled = new Map<string, ValidateFunction>();
  return (key, schema) => {
    const known = compiled.get(key);
    if (known) return known;
    const text = JSON.stringify(toJsonSchema(schema)).replaceAll('"#/components', '"gh#/components');
    const fresh = ajv.compile(JSON.parse(text));
    compiled.set(key, fresh);
    return fresh;
  };
}

function check(validate: ValidateFunction, body: unknown): string[] {
  if (validate(body)) return [];
  return (validate.errors ?? []).slice(0, 20).map((error) => `${error.instancePath || '/'} ${error.message}`);
}

function createSeenBefore(limit: number) {
  const seen = new Set<string>();
  return {
    has: (key: string) => seen.has(key),
    add: (key: string) => {
      const [oldest] = seen;
      if (seen.size >= limit && oldest !== undefined) seen.delete(oldest);
      seen.add(key);
    },
  };
}
