import fs from 'node:fs';
import { z } from 'zod';

export type Json = Record<string, unknown>;

const Parameter = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean().optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
});
export type Parameter = z.infer<typeof Parameter>;

const Media = z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()).optional() }));
const Response = z.object({ content: Media.optional() });
const Ref = z.object({ $ref: z.string() });

const Operation = z.object({
  parameters: z.array(z.union([Ref, Parameter])).optional(),
  requestBody: z.object({ required: z.boolean().optional(), content: Media }).optional(),
  responses: z.record(z.string(), z.union([Ref, Response])),
});
export type Operation = z.infer<typeof Operation>;

const Spec = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), z.record(z.string(), z.unknown())),
    parameters: z.record(z.string(), Parameter),
    responses: z.record(z.string(), Response),
  }),
});
export type Spec = z.infer<typeof Spec>;

/** Loads the vendored part of GitHub's API description. The relative path is the same from `src` and `dist`. */
export function loadSpec(): Spec {
  const file = new URL('../../spec/github-openapi-slice.json', import.meta.url);
  return Spec.parse(JSON.parse(fs.readFileSync(file, 'utf8')));
}

export function operationOf(spec: Spec, method: string, template: string): Operation | undefined {
  return spec.paths[template]?.[method.toLowerCase()];
}

export function parametersOf(spec: Spec, operation: Operation): Parameter[] {
  return (operation.parameters ?? []).flatMap((parameter) => {
    if (!('$ref' in parameter)) return [parameter];
    const found = spec.components.parameters[lastPart(parameter.$ref)];
    return found ? [found] : [];
  });
}

/** True if a route, such as `GET /repos/{owner}/{repo}/issues`, returns pages of rows. */
export function isList(spec: Spec, route: string): boolean {
  const [method = '', template = ''] = route.split(' ');
  const operation = method === 'GET' ? operationOf(spec, method, template) : undefined;
  return !!operation && parametersOf(spec, operation).some(({ name }) => name === 'per_page');
}

/** Returns the JSON Schema of a response, or undefined if the description has none (204, 302, undocumented errors). */
export function responseSchemaOf(spec: Spec, operation: Operation, status: number): Json | undefined {
  const response = operation.responses[String(status)];
  const resolved =
    response && '$ref' in response ? spec.components.responses[lastPart(response.$ref)] : response;
  return resolved?.content?.['application/json']?.schema;
}

const lastPart = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
