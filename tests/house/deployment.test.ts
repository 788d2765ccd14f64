import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { catalogUrl } from '@headrace/components';
import { destTopic, readKafkaSettings, sourceTopic } from '@headrace/distributed';
import { checkConfig, configToJson, Registry, readConfigText } from '@headrace/engine';
import { DCLinter } from 'dclint';
import { describe, expect, it } from 'vitest';
import { type Manifest, manifestProblems, parseCommand, readManifests, readYaml } from './manifests.ts';
import { readText, repositoryFiles, root } from './repository.ts';

const FOLDER = 'deploy/kubernetes';
const CONFIG_FOLDER = '/etc/headrace/config';
const USER = 1000;

const registry = await Registry.open({
  catalogs: [catalogUrl],
  modules: [],
  base: import.meta.url,
  allowModules: false,
});

/** Reads the config of a distributed run, with only these variables of the environment. */
async function readDistributed(text: string, env: Record<string, string>) {
  const { root: config, problems } = readConfigText(text, { env });
  if (config === undefined) return { problems, settings: undefined, plain: undefined };
  const checked = await checkConfig(config, registry);
  const plain = JSON.parse(configToJson(config)) as {
    pipelines: { name: string }[];
    kafka: Record<string, unknown> & { consumer?: Record<string, string> };
  };
  const kafka = readKafkaSettings(config);
  // The commands of distributed runs read this block. For all others it has no effect, which is a warning.
  const found = checked.problems.filter(({ code, path }) => code !== 'HR_CONFIG_UNUSED' || path !== 'kafka');
  return { problems: [...problems, ...found, ...kafka.problems], settings: kafka.settings, plain };
}

const files = repositoryFiles()
  .filter((path) => path.startsWith(`${FOLDER}/`) && path.endsWith('.yaml'))
  .map((path) => path.slice(FOLDER.length + 1));
const kustomization = readYaml(`${FOLDER}/kustomization.yaml`) as { resources: string[]; images: { name: string }[] };
const manifests = files
  .filter((file) => file !== 'kustomization.yaml')
  .flatMap((file) => readManifests(`${FOLDER}/${file}`).map((manifest) => ({ file, manifest })));
const all = (kind: string) => manifests.flatMap(({ manifest }) => (manifest.kind === kind ? [manifest] : []));
const named = (kind: string, name: string) => all(kind).find(({ metadata }) => metadata.name === name);

describe('the manifests of Kubernetes', () => {
  it.each(manifests)('$file: $manifest.kind $manifest.metadata.name is valid by its schema', ({ manifest }) => {
    expect(manifestProblems(manifest)).toEqual([]);
  });

  it('would fail their check with a value of a wrong type, and with an unknown field', () => {
    const worker = named('Deployment', 'headrace-worker') as Manifest;
    const wrongType = { ...worker, spec: { ...worker.spec, replicas: '3' } };
    expect(manifestProblems(wrongType)).toEqual(['data/spec/replicas must be integer']);
    const unknown = structuredClone(worker);
    unknown.spec.template.spec.containers[0].readynessProbe = {};
    expect(manifestProblems(unknown)).toEqual(['Unknown field /spec/template/spec/containers/0/readynessProbe']);
  });

  it('are in kustomization.yaml, except the run, which kubectl create starts', () => {
    const others = ['kustomization.yaml', 'publisher.yaml'];
    expect(kustomization.resources.toSorted()).toEqual(files.filter((file) => !others.includes(file)).toSorted());
  });
});

describe('the pods on Kubernetes', () => {
  const workloads = [...all('Deployment'), ...all('Job')].map((manifest) => ({
    component: manifest.spec.template.metadata.labels['app.kubernetes.io/component'] as string,
    manifest,
    pod: manifest.spec.template.spec,
    container: manifest.spec.template.spec.containers[0],
  }));

  it('are a publisher, workers and indexers', () => {
    expect(workloads.map(({ component }) => component).toSorted()).toEqual(['indexer', 'publisher', 'worker']);
  });

  it.each(workloads)('$component: executes a command that exists, with its options', async (workload) => {
    const { name, args, options } = await parseCommand(workload.container.args);
    expect(args).toEqual([`${CONFIG_FOLDER}/headrace.conf`]);
    if (workload.component === 'publisher') {
      expect(name).toBe('run');
      expect(options).toMatchObject({ distributed: true, external: false });
    } else {
      expect(name).toBe(workload.component);
      expect(options).toHaveProperty('healthPort', 8081);
    }
  });

  it.each(workloads)('$component: has no rights, and writes only to its volumes', ({ pod, container }) => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: USER, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(readText('Containerfile')).toContain(`\nUSER ${USER}:${pod.securityContext.runAsGroup}\n`);
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(kustomization.images.map(({ name }) => name)).toEqual([container.image]);
    expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
  });

  it.each(workloads)('$component: finds its config, its variables and its volumes', ({ pod, container }) => {
    const mounts = container.volumeMounts as { name: string; mountPath: string }[];
    const volumes = pod.volumes as { name: string; configMap?: { name: string } }[];
    expect(mounts.map(({ name }) => name).toSorted()).toEqual(volumes.map(({ name }) => name).toSorted());
    expect(mounts).toContainEqual({ name: 'config', mountPath: CONFIG_FOLDER, readOnly: true });
    const config = volumes.find(({ name }) => name === 'config')?.configMap?.name ?? '';
    expect(named('ConfigMap', config)?.data).toHaveProperty(['headrace.conf']);
    for (const { configMapRef, secretRef } of container.envFrom) {
      if (configMapRef !== undefined) expect(named('ConfigMap', configMapRef.name)).toBeDefined();
      if (secretRef !== undefined) expect(named('Secret', secretRef.name)).toBeDefined();
    }
  });

  it.each(workloads.filter(({ component }) => component !== 'publisher'))(
    '$component: probes and Prometheus use paths and the port of --health-port',
    async ({ manifest, container }) => {
      const { options } = await parseCommand(container.args);
      expect(container.ports).toEqual([{ name: 'health', containerPort: options['healthPort'] }]);
      const { annotations } = manifest.spec.template.metadata;
      expect(annotations).toEqual({
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(options['healthPort']),
        'prometheus.io/path': '/metrics',
      });
      const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => container[name].httpGet);
      expect(probes).toEqual(['/livez', '/livez', '/readyz'].map((path) => ({ path, port: 'health' })));
      const server = readText('packages/headrace/src/process/health-server.ts');
      for (const path of ['/livez', '/readyz', '/metrics']) expect(server).toContain(`url === '${path}'`);
    },
  );

  it.each(all('Deployment'))('$metadata.name: selectors find its pods', ({ metadata, spec }) => {
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels).toEqual(labels);
    expect(named('PodDisruptionBudget', metadata.name ?? '')?.spec.selector.matchLabels).toEqual(labels);
  });
});

describe('the config on Kubernetes', async () => {
  const { 'headrace.conf': text = '' } = named('ConfigMap', 'headrace-config')?.data ?? {};
  const env = { ...named('ConfigMap', 'headrace-addresses')?.data, ...named('Secret', 'headrace-login')?.stringData };
  const { problems, settings, plain } = await readDistributed(text, env);
  const pipelines = plain?.pipelines.map(({ name }) => name) ?? [];

  it('is valid, with the variables of the ConfigMap and the Secret', () => {
    expect(problems).toEqual([]);
    expect(settings?.bootstrapServers).toBe(env['KAFKA_BOOTSTRAP']);
    const { consumer, producer, admin } = settings ?? {};
    for (const client of [consumer, producer, admin]) {
      expect(Object.fromEntries(client ?? [])).toMatchObject({
        'security.protocol': 'SASL_SSL',
        'sasl.mechanism': 'SCRAM-SHA-512',
        'sasl.jaas.config': expect.stringContaining(
          `username="${env['KAFKA_USERNAME']}" password="${env['KAFKA_PASSWORD']}";`,
        ),
      });
    }
  });

  it.each(all('Deployment'))('has the pipeline of $metadata.name', async ({ spec }) => {
    const { options } = await parseCommand(spec.template.spec.containers[0].args);
    expect(pipelines).toContain(options['pipeline']);
  });

  it.each([
    { role: 'worker', topicOf: (pipeline: string) => settings && sourceTopic(settings, pipeline) },
    { role: 'indexer', topicOf: (pipeline: string) => settings && destTopic(settings, pipeline) },
  ])('has the topic, the group and the login by which the $role is scaled', async ({ role, topicOf }) => {
    const { spec } = named('ScaledObject', `headrace-${role}`) as Manifest;
    const target = named('Deployment', spec.scaleTargetRef.name) as Manifest;
    const [container] = target.spec.template.spec.containers;
    const { options } = await parseCommand(container.args);
    expect(spec.triggers).toHaveLength(1);
    const [{ type, metadata, authenticationRef }] = spec.triggers;
    expect(type).toBe('kafka');
    expect(metadata).toMatchObject({
      topic: topicOf(String(options['pipeline'])),
      consumerGroup: settings?.groupId,
      bootstrapServersFromEnv: 'KAFKA_BOOTSTRAP',
      sasl: settings?.consumer.get('sasl.mechanism')?.replace('-SHA-', '_sha').toLowerCase(),
      tls: settings?.consumer.get('security.protocol')?.endsWith('SSL') === true ? 'enable' : 'disable',
    });
    // KEDA needs the address of the brokers, which the container reads from its ConfigMap.
    const addresses = container.envFrom.find((from: { configMapRef?: object }) => from.configMapRef !== undefined);
    expect(named('ConfigMap', addresses.configMapRef.name)?.data).toHaveProperty('KAFKA_BOOTSTRAP');
    expect(spec.maxReplicaCount).toBeLessThanOrEqual(settings?.partitions ?? 0);
    expect(spec.minReplicaCount).toBeGreaterThan(0);
    expect(target.spec.replicas, 'KEDA sets the number').toBeUndefined();
    const login = named('TriggerAuthentication', authenticationRef.name)?.spec.secretTargetRef;
    for (const { name, key } of login) expect(named('Secret', name)?.stringData).toHaveProperty(key);
  });
});

describe('compose.yaml', () => {
  const { services } = readYaml('compose.yaml') as { services: Record<string, ComposeService> };
  const distributed = Object.entries(services).filter(([, { profiles }]) => profiles !== undefined);
  const roles = distributed.filter(([name]) => name !== 'kafka').map(([name, service]) => ({ name, service }));

  it('is valid by the schema of the Compose Specification', () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
    const files = linter.lintFiles([join(root, 'compose.yaml')], false) as { messages: { rule: string }[] }[];
    const messages = files.flatMap(({ messages }) => messages);
    // The other rules are about style.
    expect(messages.filter(({ rule }) => rule.startsWith('invalid-'))).toEqual([]);
  });

  it('starts the service and its OpenSearch by default, and all of a distributed run with a profile', () => {
    const others = Object.keys(services).filter((name) => services[name]?.profiles === undefined);
    expect(others).toEqual(['headrace', 'opensearch']);
    expect(distributed.map(([name]) => name)).toEqual(['kafka', 'worker', 'indexer', 'publisher']);
    for (const [, { profiles }] of distributed) expect(profiles).toEqual(['distributed']);
  });

  it.each(roles)('$name: executes a command that exists, with an example', async ({ name, service }) => {
    const command = await parseCommand(service.command);
    expect(command.name).toBe(name === 'publisher' ? 'run' : name);
    expect(command.options).toMatchObject(name === 'publisher' ? { distributed: true } : { healthPort: 8081 });
    const [config = ''] = command.args;
    expect(service.volumes).toEqual(['./examples:/examples:ro']);
    expect(existsSync(join(root, String(config)))).toBe(true);
    expect(existsSync(join(root, service.environment['HEADRACE_DATA'] ?? ''))).toBe(true);
    const { problems, settings } = await readDistributed(readText(String(config).slice(1)), service.environment);
    expect(problems).toEqual([]);
    expect(settings?.bootstrapServers).toBe(
      services['kafka']?.environment['KAFKA_ADVERTISED_LISTENERS']?.replace('PLAINTEXT://', ''),
    );
  });

  it.each(roles)('$name: has no rights, and time to finish its documents', ({ service }) => {
    expect(service).toMatchObject({
      image: services['headrace']?.image,
      build: services['headrace']?.build,
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '60s',
    });
  });

  it.each(roles.filter(({ name }) => name !== 'publisher'))(
    '$name: its health check asks the port of --health-port',
    async ({ service }) => {
      const { options } = await parseCommand(service.command);
      expect(service.healthcheck.test?.at(-1)).toContain(`fetch('http://127.0.0.1:${options['healthPort']}/readyz')`);
    },
  );

  it('has a broker that keeps its data in its volume, in the version of the tests', () => {
    const { image, environment, volumes } = services['kafka'] as ComposeService;
    expect(volumes).toEqual([`kafka:${environment['KAFKA_LOG_DIRS']}`]);
    const tested = /^VERSION=\$\{KAFKA_VERSION:-(.+)\}$/m.exec(readText('tests/servers/kafka'))?.[1];
    expect(image).toBe(`apache/kafka:${tested}`);
  });
});

interface ComposeService {
  readonly profiles?: string[];
  readonly image: string;
  readonly build?: object;
  readonly command: string[];
  readonly environment: Record<string, string>;
  readonly volumes: string[];
  readonly healthcheck: { readonly test?: string[] };
}
