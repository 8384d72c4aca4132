import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { startTestServer, type TestServer } from '#lib/testing/fake-host.ts';
import { sendRaw } from '#lib/testing/raw-request.ts';
import type { HostConfig } from './config.ts';
import { readConfig } from './read-config.ts';

/* compose.yaml and deploy/ against the variables, ports, paths and times of the program. Neither Docker nor a cluster runs here. */
const root = path.resolve(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const SECRET = '0123456789abcdef0123456789abcdef';
/** Docs/operating.md: a stop after the drain. */
const STOP_SECONDS = 10;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const env = z.record(z.string(), z.string());
const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      environment: env.optional(),
      volumes: z.array(z.string()).default([]),
      ports: z.array(z.string()).optional(),
      stop_grace_period: z.string().optional(),
      healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
});

const image = read('Dockerfile');
const folderOf = (name: string): string => new RegExp(`${name}=(\\S+)`).exec(image)?.[1] ?? '';
const FOLDERS = ['EXTENSIONS_DIR', 'DATA_DIR', 'WORKSPACE_ROOT'].map(folderOf).toSorted();

function configOf(given: Readonly<Record<string, string>>): HostConfig {
  const asked = new Set<string>();
  const seen = new Proxy<Record<string, string>>(
    { ...given },
    {
      get(target, name) {
        if (typeof name === 'string') asked.add(name);
        return typeof name === 'string' ? target[name] : undefined;
      },
    },
  );
  const config = readConfig(seen, root);
  if (!config.ok) throw new Error(config.reason);
  expect(Object.keys(given).filter((name) => !asked.has(name))).toEqual([]);
  return config.config;
}

function expectForMany({ team, database, drainSeconds, host, secretsKeys }: HostConfig): void {
  expect(team).toMatchObject({ secret: SECRET, publicUrl: expect.stringMatching(/^https:/) });
  expect(database?.url).toMatch(/^postgres:/);
  expect(secretsKeys).toEqual([SECRET]);
  expect(host).toBe('0.0.0.0');
  // Load balancers here ask every second or two.
  expect(drainSeconds).toBeGreaterThanOrEqual(5);
}

const answers = async (target: string, host: string): Promise<number> => (await sendRaw(server.port, 'GET', target, { host })).status;

describe('compose.yaml', () => {
  const { services, volumes } = composeSchema.parse(parse(read('compose.yaml'), { merge: true }));
  const caddy = read('deploy/compose/Caddyfile');
  const upstreams = (/^\treverse_proxy (.+) \{$/m.exec(caddy)?.[1] ?? '').split(' ');
  const instances = Object.entries(services).filter(([name]) => name.startsWith('switchboard-'));
  const filled = (text: string): string => text.replace(/\$\{\w+:\?[^}]*\}/, SECRET).replace(/\$\{\w+:-([^}]*)\}/, '$1');

  it('starts two instances that the program accepts, behind the proxy', () => {
    expect(instances).toHaveLength(2);
    for (const [name, { environment = {}, ports, stop_grace_period: grace = '' }] of instances) {
      const config = configOf(Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filled(value)])));
      expectForMany(config);
      expect(upstreams).toContain(`${name}:${config.port}`);
      expect(ports).toBeUndefined();
      expect(Number.parseInt(grace, 10)).toBeGreaterThanOrEqual(config.drainSeconds + STOP_SECONDS);
    }
    expect(upstreams).toHaveLength(2);
  });

  it('mounts separate folders for each instance, where the image expects them', () => {
    const sources = instances.flatMap(([, service]) => service.volumes.map((volume) => volume.split(':')[0] ?? ''));
    expect(new Set(sources).size).toBe(sources.length);
    for (const [, service] of instances) expect(service.volumes.map((volume) => volume.split(':')[1] ?? '').toSorted()).toEqual(FOLDERS);
    const all = Object.values(services).flatMap((service) => service.volumes.map((volume) => volume.split(':')[0] ?? ''));
    expect(all.filter((source) => !source.startsWith('.')).toSorted()).toEqual(Object.keys(volumes).toSorted());
  });

  it('probes readiness at the address that the server serves', async () => {
    const asked = /health_uri (\S+)/.exec(caddy)?.[1] ?? '';
    expect(await answers(asked, /Host (\S+)/.exec(caddy)?.[1] ?? '')).toBe(200);
    for (const [, { healthcheck, environment }] of instances)
      expect(healthcheck?.test.join(' ')).toContain(`http://127.0.0.1:${environment?.['PORT']}${asked}`);
  });
});

describe('deploy/kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const named = z.looseObject({ name: z.string() });
  const labels = z.looseObject({ matchLabels: env });
  const probe = z.looseObject({
    httpGet: z.object({ path: z.string(), port: z.string(), httpHeaders: z.array(z.object({ name: z.string(), value: z.string() })) }),
  });
  const containerSchema = z.looseObject({
    image: z.string(),
    envFrom: z.array(z.looseObject({ configMapRef: named.optional(), secretRef: named.optional() })),
    ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
    startupProbe: probe,
    readinessProbe: probe,
    livenessProbe: probe,
    volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
  });
  const deploymentSchema = z.object({
    kind: z.literal('Deployment'),
    apiVersion: z.literal('apps/v1'),
    metadata: named,
    spec: z.looseObject({
      replicas: z.number(),
      selector: labels,
      template: z.object({
        metadata: z.object({ labels: env }),
        spec: z.looseObject({
          terminationGracePeriodSeconds: z.number(),
          containers: z.tuple([containerSchema]),
          volumes: z.array(z.looseObject({ name: z.string(), emptyDir: z.object({ sizeLimit: z.string() }) })),
        }),
      }),
    }),
  });
  const generator = z.array(z.object({ name: z.string(), envs: z.array(z.string()) }));
  const kustomization = z
    .looseObject({ resources: z.array(z.string()), images: z.array(named), configMapGenerator: generator, secretGenerator: generator })
    .parse(parse(read(`${folder}/kustomization.yaml`)));
  const deployment = deploymentSchema.parse(parse(read(`${folder}/deployment.yaml`)));
  const { spec: pod, metadata } = deployment.spec.template;
  const [container] = pod.containers;
  const variablesOf = (file: string): [string, string][] =>
    [...read(`${folder}/${file}`).matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const config = configOf(
    Object.fromEntries([
      ...variablesOf('settings.env'),
      ...variablesOf('secret.env.example').map(([name, value]): [string, string] => [name, value === '' ? SECRET : value]),
    ]),
  );

  it('configures instances that the program accepts', () => {
    expectForMany(config);
    expect(deployment.spec.replicas).toBe(3);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(config.drainSeconds + STOP_SECONDS);
  });

  it('keeps secrets out of the settings, and out of Git', () => {
    expect(variablesOf('settings.env').map(([name]) => name)).not.toContain('AUTH_SECRET');
    expect(variablesOf('secret.env.example').map(([name]) => name)).toEqual(['DATABASE_URL', 'AUTH_SECRET', 'SECRETS_KEY']);
    expect(read('.gitignore')).toContain(`/${folder}/secret.env\n`);
  });

  it('references only names that exist', () => {
    for (const file of kustomization.resources) expect(parse(read(`${folder}/${file}`))).toHaveProperty('kind');
    const [settings] = kustomization.configMapGenerator;
    const [secret] = kustomization.secretGenerator;
    expect([settings?.envs, secret?.envs]).toEqual([['settings.env'], ['secret.env']]);
    expect(container.envFrom).toEqual([{ configMapRef: { name: settings?.name } }, { secretRef: { name: secret?.name } }]);
    expect(kustomization.images.map(({ name }) => name)).toEqual([container.image]);
    expect(metadata.labels).toEqual(deployment.spec.selector.matchLabels);
    const service = z
      .object({ spec: z.object({ selector: env, ports: z.array(z.looseObject({ targetPort: z.string() })) }) })
      .parse(parse(read(`${folder}/service.yaml`)));
    expect(service.spec.selector).toEqual(metadata.labels);
    expect(container.ports).toEqual([{ name: service.spec.ports[0]?.targetPort, containerPort: config.port }]);
    const budget = z.object({ spec: z.object({ selector: labels }) }).parse(parse(read(`${folder}/disruption-budget.yaml`)));
    expect(budget.spec.selector.matchLabels).toEqual(metadata.labels);
  });

  it('mounts the folders of the image, and a writable /tmp', () => {
    expect(container.volumeMounts.map(({ mountPath }) => mountPath).toSorted()).toEqual([...FOLDERS, '/tmp'].toSorted());
    expect(pod.volumes.map(({ name }) => name).toSorted()).toEqual(container.volumeMounts.map(({ name }) => name).toSorted());
  });

  it('probes addresses that the server serves', async () => {
    for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
      const host = httpGet.httpHeaders.find(({ name }) => name === 'Host')?.value ?? '';
      expect(await answers(httpGet.path, host)).toBe(200);
      expect(httpGet.port).toBe(container.ports[0]?.name);
    }
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
  });
});
