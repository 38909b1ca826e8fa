import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { KEDA_SCHEMAS } from './keda-schema.js';
import { KUBERNETES_SCHEMAS } from './kubernetes-schema.js';

const FOLDER = new URL('../../packaging/kubernetes/', import.meta.url);
const SCHEMAS: Record<string, object> = { ...KUBERNETES_SCHEMAS, ...KEDA_SCHEMAS };

const yaml: { loadAll(text: string): unknown[] } = createRequire(import.meta.url)('js-yaml');
const ajv = new Ajv({ allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true });

const Header = z.looseObject({ apiVersion: z.string(), kind: z.string() });

export const listManifests = (): string[] => readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

export const readManifest = (name: string): string =>
  readFileSync(fileURLToPath(new URL(name, FOLDER)), 'utf8');

/** Lists every violation of the schemas, with its place in the file. */
export function findProblems(text: string): string[] {
  return yaml.loadAll(text).flatMap((document) => {
    const { apiVersion, kind } = Header.parse(document);
    const schema = SCHEMAS[`${apiVersion} ${kind}`];
    if (schema === undefined) return [`no schema for ${apiVersion} ${kind}`];
    const validate = ajv.compile(schema);
    if (validate(document)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${kind}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  });
}

const Variable = z.object({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({
      secretKeyRef: z
        .object({ name: z.string(), key: z.string(), optional: z.boolean().optional() })
        .optional(),
      configMapKeyRef: z.object({ name: z.string(), key: z.string() }).optional(),
    })
    .optional(),
});
const Container = z.object({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  env: z.array(Variable),
  readinessProbe: z.object({ exec: z.object({ command: z.array(z.string()) }) }),
  livenessProbe: z.object({ failureThreshold: z.number(), periodSeconds: z.number() }).optional(),
  securityContext: z.looseObject({
    allowPrivilegeEscalation: z.boolean(),
    capabilities: z.object({ drop: z.array(z.string()) }),
  }),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
});
const Workload = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({
    serviceName: z.string().optional(),
    replicas: z.number().optional(),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        hostUsers: z.boolean().optional(),
        securityContext: z.looseObject({ runAsNonRoot: z.boolean(), runAsUser: z.number() }),
        containers: z.array(Container),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
    volumeClaimTemplates: z
      .array(
        z.object({
          metadata: z.object({ name: z.string() }),
          spec: z.object({ accessModes: z.array(z.string()) }),
        }),
      )
      .default([]),
  }),
});

export type Workload = z.infer<typeof Workload>;

/** Reads the only object of this kind in a manifest. */
export function readObject<Schema extends z.ZodType>(
  file: string,
  kind: string,
  schema: Schema,
): z.infer<Schema> {
  const found = yaml.loadAll(readManifest(file)).filter((document) => Header.parse(document).kind === kind);
  if (found.length !== 1) throw new Error(`${file} contains ${found.length} objects of the kind ${kind}`);
  return schema.parse(found[0]);
}

export const readPoller = (): Workload => readObject('poller.yaml', 'StatefulSet', Workload);
export const readWorker = (): Workload => readObject('worker.yaml', 'Deployment', Workload);
