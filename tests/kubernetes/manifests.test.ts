import { DEFAULT_PREFIX } from '@mergexo/queue';
import { z } from 'zod';
import { read, readCompose } from '../containers/read-compose.js';
import {
  findProblems,
  listManifests,
  readManifest,
  readObject,
  readPoller,
  readWorker,
  type Workload,
} from './read-manifests.js';

const Kustomization = z.object({
  resources: z.array(z.string()),
  images: z.array(z.object({ name: z.string(), newTag: z.string() })),
});
const ScaledObject = z.object({
  spec: z.object({
    scaleTargetRef: z.object({ name: z.string() }),
    minReplicaCount: z.number(),
    advanced: z.object({ scalingModifiers: z.object({ formula: z.string() }) }),
    triggers: z.array(z.object({ name: z.string(), metadata: z.object({ listName: z.string() }) })),
  }),
});
const docs = read('docs/configuration.md');
const defaultOf = (key: string): number => Number(new RegExp(`\`${key}\` \\| \`(\\d+)\``).exec(docs)?.[1]);

describe('the Kubernetes manifests', () => {
  it.each(listManifests())('%s matches the schemas of Kubernetes and KEDA', (name) => {
    expect(findProblems(readManifest(name))).toEqual([]);
  });

  it.each([
    ['poller.yaml', 'replicas: 1', 'replica: 1'],
    ['poller.yaml', 'runAsNonRoot: true', 'runAsNonRoot: yes please'],
    ['poller.yaml', 'ReadWriteOncePod', 'ReadWriteOnePod'],
    ['poller.yaml', 'storage: 10Gi', 'storage: 10GB'],
    ['poller.yaml', 'periodSeconds: 60', 'periodSecond: 60'],
    ['worker.yaml', 'appArmorProfile', 'apparmorProfile'],
    ['worker.yaml', 'type: Unconfined', 'type: unconfined'],
    ['worker.yaml', 'terminationGracePeriodSeconds', 'terminationGracePeriod'],
    ['worker.yaml', 'secretKeyRef', 'secretRef'],
    ['worker.yaml', 'apiVersion: apps/v1', 'apiVersion: apps/v2'],
    ['keda.yaml', 'maxReplicaCount', 'maxReplicas'],
    ['keda.yaml', "listLength: '1'", 'listLength: 1'],
    ['keda.yaml', 'listName', 'listname'],
    ['keda.yaml', 'stabilizationWindowSeconds: 600', 'stabilizationWindowSeconds: 6000'],
    ['redis.yaml', 'data:', 'stringData:'],
    ['kustomization.yaml', 'newTag: 0.1.0', 'newTag: 0.1'],
    ['kustomization.yaml', 'resources:', 'resource:'],
  ])('%s would fail this test if "%s" were "%s"', (name, right, wrong) => {
    expect(readManifest(name)).toContain(right);
    expect(findProblems(readManifest(name).replace(right, wrong))).not.toEqual([]);
  });

  it('are all listed, and use the image that compose uses', () => {
    const { resources, images } = readObject('kustomization.yaml', 'Kustomization', Kustomization);
    expect([...resources, 'kustomization.yaml'].sort()).toEqual(listManifests().sort());
    const [image] = images;
    expect(readCompose().services.poller.image).toBe(`\${MERGEXO_IMAGE:-${image?.name}:${image?.newTag}}`);
    for (const { spec } of [readPoller(), readWorker()])
      for (const container of spec.template.spec.containers) expect(container.image).toBe(image?.name);
  });

  it('run one poller, never two, with a volume that only one pod can use', () => {
    const { spec } = readPoller();
    expect(spec.replicas).toBe(1);
    expect(spec.volumeClaimTemplates.map((claim) => claim.spec.accessModes)).toEqual([['ReadWriteOncePod']]);
    const { spec: scaled } = readObject('keda.yaml', 'ScaledObject', ScaledObject);
    expect(scaled.scaleTargetRef.name).toBe(readWorker().metadata.name);
    expect(readWorker().spec.replicas).toBeUndefined();
    expect(scaled.minReplicaCount).toBeGreaterThan(0);
  });

  it('scale workers by the waiting and the running turns', () => {
    const { spec } = readObject('keda.yaml', 'ScaledObject', ScaledObject);
    const keys = Object.fromEntries(spec.triggers.map(({ name, metadata }) => [name, metadata.listName]));
    const queue = `${DEFAULT_PREFIX}:turns`;
    expect(keys).toEqual({ waiting: `${queue}:prioritized`, running: `${queue}:active` });
    expect(spec.advanced.scalingModifiers.formula.split(' + ').sort()).toEqual(Object.keys(keys).sort());
  });

  it('give each program the variables of its service in compose, with the same secrets', () => {
    const { services } = readCompose();
    const inCompose = (name: 'poller' | 'worker' | 'dashboard'): string[] =>
      Object.entries(services[name].environment)
        .map(([variable, value]) => `${variable}=${/\$\{(\w+)/.exec(value)?.[1] ?? ''}`)
        // The spool is in the pod's own volume.
        .filter((entry) => entry !== 'MERGEXO_SPOOL_DIR=');
    for (const { spec } of [readPoller(), readWorker()])
      for (const { name, env, args, readinessProbe } of spec.template.spec.containers) {
        expect(args).toEqual([name]);
        expect(readinessProbe.exec.command).toEqual(['mergexo', 'health']);
        const entries = env
          .filter((one) => one.name !== 'MERGEXO_CONFIG')
          .map((one) => `${one.name}=${one.valueFrom?.secretKeyRef?.key ?? ''}`);
        expect(entries.sort()).toEqual(
          inCompose(z.enum(['poller', 'worker', 'dashboard']).parse(name)).sort(),
        );
      }
  });

  it('run nothing as root, and relax the defaults only for bubblewrap', () => {
    for (const { spec } of [readPoller(), readWorker()]) {
      const { securityContext, containers } = spec.template.spec;
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 1000,
        fsGroupChangePolicy: 'OnRootMismatch',
      });
      for (const container of containers)
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          capabilities: { drop: ['ALL'] },
        });
    }
    const { hostUsers, containers } = readWorker().spec.template.spec;
    expect([hostUsers, containers[0]?.securityContext['procMount']]).toEqual([false, 'Unmasked']);
    expect(readManifest('poller.yaml')).not.toMatch(/Unconfined|Unmasked/);
  });

  it('give workers time to finish or return a turn, and more memory than a turn may use', () => {
    const { terminationGracePeriodSeconds, containers } = readWorker().spec.template.spec;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(defaultOf('drain_grace_seconds') + 20);
    const [, named] = /at most (\d+) with this value/.exec(readManifest('worker.yaml')) ?? [];
    expect(terminationGracePeriodSeconds).toBeGreaterThan(Number(named) + 20);
    const memory = Number.parseInt(containers[0]?.resources.limits.memory ?? '', 10) * 1024;
    expect(memory).toBeGreaterThan(defaultOf('max_memory_mb'));
  });

  it('select their own pods, and mount only volumes that exist', () => {
    const check = ({ spec }: Workload): void => {
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
      const volumes = [
        ...spec.template.spec.volumes.map(({ name }) => name),
        ...spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
      ];
      for (const { volumeMounts } of spec.template.spec.containers)
        expect(volumeMounts.map(({ name }) => name).sort()).toEqual([...volumes].sort());
    };
    check(readPoller());
    check(readWorker());
  });
});
