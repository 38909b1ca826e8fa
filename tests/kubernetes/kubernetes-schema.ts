/**
 * JSON Schemas for the parts of Kubernetes' API that the manifests use, after the OpenAPI description of Kubernetes 1.36
 * (August 2026). Unknown keys are errors, because Kubernetes only warns about most of them.
 */
const name = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$', maxLength: 63 } as const;
const text = { type: 'string', minLength: 1 } as const;
const flag = { type: 'boolean' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const portNumber = { type: 'integer', minimum: 1, maximum: 65_535 } as const;
const texts = { type: 'object', additionalProperties: { type: 'string' } } as const;
/** Such as `100m`, `10Gi` or `'1'`. */
const quantity = { type: 'string', pattern: '^\\d+(\\.\\d+)?(m|k|[KMGTPE]i?)?$' } as const;
const quantities = { type: 'object', additionalProperties: quantity } as const;

/** An object with these properties and no others. */
export function exactly(properties: Record<string, object>, required: readonly string[] = []) {
  return { type: 'object', additionalProperties: false, required, properties };
}

export const listOf = (items: object) => ({ type: 'array', minItems: 1, items });

const metadata = exactly({ name, labels: texts, annotations: texts }, ['name']);

/** A top-level object of Kubernetes. */
export const kind = (apiVersion: string, kindName: string, parts: Record<string, object>) =>
  exactly({ apiVersion: { const: apiVersion }, kind: { const: kindName }, metadata, ...parts }, [
    'apiVersion',
    'kind',
    'metadata',
    ...Object.keys(parts),
  ]);

const resources = exactly({ requests: quantities, limits: quantities });
const profile = exactly({ type: { enum: ['RuntimeDefault', 'Unconfined'] } }, ['type']);
const reference = exactly({ name, key: text, optional: flag }, ['name', 'key']);

const variable = {
  ...exactly(
    {
      name: { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
      value: text,
      valueFrom: {
        ...exactly({ configMapKeyRef: reference, secretKeyRef: reference }),
        minProperties: 1,
        maxProperties: 1,
      },
    },
    ['name'],
  ),
  oneOf: [{ required: ['value'] }, { required: ['valueFrom'] }],
};

const probe = exactly(
  {
    exec: exactly({ command: listOf(text) }, ['command']),
    initialDelaySeconds: count,
    periodSeconds: { type: 'integer', minimum: 1 },
    timeoutSeconds: { type: 'integer', minimum: 1 },
    failureThreshold: { type: 'integer', minimum: 1 },
  },
  ['exec'],
);

const container = exactly(
  {
    name,
    image: text,
    args: listOf(text),
    env: listOf(variable),
    ports: listOf(exactly({ name, containerPort: portNumber }, ['containerPort'])),
    readinessProbe: probe,
    livenessProbe: probe,
    securityContext: exactly({
      allowPrivilegeEscalation: flag,
      capabilities: exactly({ drop: listOf(text) }),
      procMount: { enum: ['Default', 'Unmasked'] },
      seccompProfile: profile,
      appArmorProfile: profile,
    }),
    resources,
    volumeMounts: listOf(exactly({ name, mountPath: text, readOnly: flag }, ['name', 'mountPath'])),
  },
  ['name', 'image'],
);

const volume = {
  ...exactly({ name, configMap: exactly({ name }, ['name']), emptyDir: exactly({ sizeLimit: quantity }) }, [
    'name',
  ]),
  minProperties: 2,
  maxProperties: 2,
};

const template = exactly(
  {
    metadata: exactly({ labels: texts }, ['labels']),
    spec: exactly(
      {
        automountServiceAccountToken: flag,
        enableServiceLinks: flag,
        terminationGracePeriodSeconds: count,
        shareProcessNamespace: flag,
        hostUsers: flag,
        securityContext: exactly({
          runAsNonRoot: flag,
          runAsUser: count,
          runAsGroup: count,
          fsGroup: count,
          fsGroupChangePolicy: { enum: ['OnRootMismatch', 'Always'] },
          seccompProfile: profile,
        }),
        containers: listOf(container),
        volumes: listOf(volume),
      },
      ['containers'],
    ),
  },
  ['metadata', 'spec'],
);

const selector = exactly({ matchLabels: texts }, ['matchLabels']);

const claim = kind('v1', 'PersistentVolumeClaim', {
  spec: exactly(
    {
      accessModes: listOf({ enum: ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'] }),
      storageClassName: name,
      resources,
    },
    ['accessModes', 'resources'],
  ),
});

export const KUBERNETES_SCHEMAS = {
  'v1 ConfigMap': kind('v1', 'ConfigMap', { data: texts }),
  'v1 Service': kind('v1', 'Service', {
    spec: exactly(
      {
        clusterIP: text,
        selector: texts,
        ports: listOf(
          exactly({ name, port: portNumber, targetPort: { anyOf: [name, portNumber] } }, ['port']),
        ),
      },
      ['ports'],
    ),
  }),
  'apps/v1 StatefulSet': kind('apps/v1', 'StatefulSet', {
    spec: exactly(
      { serviceName: name, replicas: count, selector, template, volumeClaimTemplates: listOf(claim) },
      ['selector', 'template'],
    ),
  }),
  'apps/v1 Deployment': kind('apps/v1', 'Deployment', {
    spec: exactly(
      {
        replicas: count,
        selector,
        strategy: exactly({
          type: { enum: ['RollingUpdate', 'Recreate'] },
          rollingUpdate: exactly({ maxSurge: count, maxUnavailable: count }),
        }),
        template,
      },
      ['selector', 'template'],
    ),
  }),
  'kustomize.config.k8s.io/v1beta1 Kustomization': exactly(
    {
      apiVersion: { const: 'kustomize.config.k8s.io/v1beta1' },
      kind: { const: 'Kustomization' },
      namespace: name,
      resources: listOf({ type: 'string', pattern: '^[a-z-]+\\.yaml$' }),
      images: listOf(exactly({ name: text, newName: text, newTag: text, digest: text }, ['name'])),
    },
    ['resources'],
  ),
};
