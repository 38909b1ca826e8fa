import { exactly, kind, listOf } from './kubernetes-schema.js';

/**
 * JSON Schemas for the parts of KEDA's resources that the manifests use, after KEDA 2.20's custom resource definitions and
 * its Redis scaler (August 2026). KEDA ignores unknown keys of a trigger's metadata, so here they are errors.
 */
const text = { type: 'string', minLength: 1 } as const;
const count = { type: 'integer', minimum: 0 } as const;
const numeric = { type: 'string', pattern: '^\\d+$' } as const;
const source = (...required: string[]) =>
  listOf({ ...exactly({ parameter: text, name: text, key: text }), required });

const redisTrigger = exactly(
  {
    type: { const: 'redis' },
    // Only triggers with a name can be part of a formula.
    name: { type: 'string', pattern: '^[a-z]+$' },
    metadata: exactly(
      {
        address: text,
        listName: text,
        listLength: numeric,
        activationListLength: numeric,
        databaseIndex: numeric,
        enableTLS: { enum: ['true', 'false'] },
      },
      ['listName'],
    ),
    authenticationRef: exactly({ name: text }, ['name']),
  },
  ['type', 'name', 'metadata'],
);

const policy = exactly(
  {
    type: { enum: ['Pods', 'Percent'] },
    value: { type: 'integer', minimum: 1 },
    periodSeconds: { type: 'integer', minimum: 1, maximum: 1_800 },
  },
  ['type', 'value', 'periodSeconds'],
);
const rules = exactly({
  stabilizationWindowSeconds: { type: 'integer', minimum: 0, maximum: 3_600 },
  policies: listOf(policy),
});

export const KEDA_SCHEMAS = {
  'keda.sh/v1alpha1 TriggerAuthentication': kind('keda.sh/v1alpha1', 'TriggerAuthentication', {
    spec: exactly({
      configMapTargetRef: source('parameter', 'name', 'key'),
      secretTargetRef: source('parameter', 'name', 'key'),
    }),
  }),
  'keda.sh/v1alpha1 ScaledObject': kind('keda.sh/v1alpha1', 'ScaledObject', {
    spec: exactly(
      {
        scaleTargetRef: exactly({ apiVersion: text, kind: text, name: text }, ['name']),
        minReplicaCount: count,
        maxReplicaCount: count,
        pollingInterval: count,
        cooldownPeriod: count,
        advanced: exactly({
          scalingModifiers: exactly({
            formula: text,
            target: text,
            activationTarget: text,
            metricType: { enum: ['AverageValue', 'Value'] },
          }),
          horizontalPodAutoscalerConfig: exactly({
            behavior: exactly({ scaleUp: rules, scaleDown: rules }),
          }),
        }),
        triggers: listOf(redisTrigger),
      },
      ['scaleTargetRef', 'triggers'],
    ),
  }),
};
