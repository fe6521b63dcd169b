import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { problemsOf } from '../unit/config/loadInMemory.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'deploy/kubernetes')
const packages = join(root, 'test/kubernetes/node_modules')
const hasSchemas = existsSync(packages)
if (!hasSchemas) console.log('skipped: the schemas are not installed: npm ci --prefix test/kubernetes')

const places = {
  ConfigMap: 'kubernetes-models/v1/ConfigMap',
  Service: 'kubernetes-models/v1/Service',
  PodDisruptionBudget: 'kubernetes-models/policy/v1/PodDisruptionBudget',
  StatefulSet: 'kubernetes-models/apps/v1/StatefulSet',
  PodMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor',
} as const

interface Manifest {
  readonly kind: keyof typeof places
  readonly metadata: { readonly name: string }
}

const manifests = readdirSync(folder).flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((doc) => doc.toJS() as Manifest),
)

/** What the schemas of Kubernetes and of the Prometheus operator say against a manifest; null when nothing. */
async function findProblem(manifest: Manifest): Promise<string | null> {
  const url = pathToFileURL(join(packages, `${places[manifest.kind]}.js`)).href
  const models = (await import(url)) as Record<string, new (data: Manifest) => { validate(): void }>
  const Model = models[manifest.kind]
  if (Model === undefined) return `there is no ${manifest.kind} in ${url}`
  try {
    new Model(manifest).validate()
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** Fields that no schema knows: those let them pass, the types do not. */
async function findUnknownFields(manifests: readonly Manifest[]): Promise<string[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'spanwatch-manifests-'))
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }))
  symlinkSync(packages, join(scratch, 'node_modules'))
  const imports = Object.entries(places).map(([kind, place]) => `import type { I${kind} } from '${place}'`)
  const values = manifests.map((one) => `void (${JSON.stringify(one)} satisfies I${one.kind})`)
  writeFileSync(join(scratch, 'manifests.mts'), [...imports, ...values].join('\n'))
  const tsc = join(root, 'node_modules/.bin/tsc')
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext']
  const { stdout } = await promisify(execFile)(tsc, [...options, '--types', '', 'manifests.mts'], {
    cwd: scratch,
  }).catch((error: { stdout: string }) => error)
  return [...stdout.matchAll(/error TS\d+: (.*)/g)].map(([, text = '']) => text)
}

const findOne = (wanted: Manifest['kind'], name: string) =>
  manifests.find(({ kind, metadata }) => kind === wanted && metadata.name === name)

type StatefulSet = Manifest & {
  spec: { template: { spec: { containers: [Record<string, unknown>] } } }
}

const statefulSet = findOne('StatefulSet', 'spanwatch') as StatefulSet
const replicas = findOne('StatefulSet', 'spanwatch-replicas') as StatefulSet

describe.runIf(hasSchemas)('by their schemas', () => {
  test.each(manifests)('$kind $metadata.name is right', async (manifest) => {
    expect(await findProblem(manifest)).toBeNull()
  })

  test('no manifest has a field that its schema does not know', async () => {
    expect(await findUnknownFields(manifests)).toEqual([])
  })

  test('a wrong type and a wrong field would be noticed', async () => {
    const wrong = structuredClone(statefulSet)
    wrong.spec.template.spec.containers[0]['livenessProb'] = {}
    expect(await findUnknownFields([wrong])).toEqual([expect.stringContaining('livenessProb')])
    wrong.spec.template.spec.containers[0]['image'] = 3
    expect(await findProblem(wrong)).toContain('image must be string')
  })
})

describe('Kubernetes', () => {
  test.each(['spanwatch', 'spanwatch-replicas'])('the configuration of %s loads', (name) => {
    const config = findOne('ConfigMap', name) as Manifest & { data: Record<string, string> }
    const at = (name: string) => `/run/secrets/spanwatch/${name}`
    const files = {
      [at('token')]: 'a-long-enough-token',
      [at('read-token')]: 'another-long-enough-token',
      [at('slack-webhook')]: 'https://hooks.example/T/B/x',
      [at('database-url')]: 'postgres://spanwatch:x@db.example/spanwatch',
    }
    const env = { HOSTNAME: 'spanwatch-replicas-0' }
    expect(problemsOf(config.data['spanwatch.yaml'] ?? '', { files, env })).toEqual([])
  })

  test('one pod, without rights, writes to its volume and /tmp alone and is asked whether it lives', () => {
    expect(statefulSet).toMatchObject({
      spec: {
        replicas: 1,
        template: {
          spec: {
            automountServiceAccountToken: false,
            securityContext: { runAsNonRoot: true },
            containers: [
              {
                securityContext: {
                  readOnlyRootFilesystem: true,
                  allowPrivilegeEscalation: false,
                  capabilities: { drop: ['ALL'] },
                },
                livenessProbe: { httpGet: { path: '/readyz' } },
                readinessProbe: { httpGet: { path: '/readyz' } },
              },
            ],
          },
        },
      },
    })
    const mounts = statefulSet.spec.template.spec.containers[0]['volumeMounts'] as {
      readOnly?: true
      name: string
    }[]
    expect(mounts.filter(({ readOnly }) => readOnly !== true).map(({ name }) => name)).toEqual([
      'state',
      'tmp',
    ])
  })

  test('two pods for one bridge: as careful, on two machines, restarted for nothing that a restart cannot mend', () => {
    const spec = (of: StatefulSet) => of.spec.template.spec.containers[0]
    expect(replicas).toMatchObject({
      spec: {
        replicas: 2,
        template: {
          spec: {
            automountServiceAccountToken: false,
            topologySpreadConstraints: [{ topologyKey: 'kubernetes.io/hostname' }],
            containers: [
              {
                env: [{ name: 'HOSTNAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
                readinessProbe: { httpGet: { path: '/readyz' } },
                startupProbe: { httpGet: { path: '/assets/icon.svg' } },
                livenessProbe: { httpGet: { path: '/assets/icon.svg' } },
              },
            ],
          },
        },
        volumeClaimTemplates: [{ metadata: { name: 'state' } }],
      },
    })
    for (const part of ['image', 'securityContext', 'volumeMounts', 'resources'])
      expect(spec(replicas)[part]).toEqual(spec(statefulSet)[part])
  })
})
