import { createSystemClock } from '../../src/lib/clock.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/createSandbox.ts'
import { parseScenario } from '../../src/sandbox/scenario.ts'
import { type ChannelServer, startChannelServer } from './channelServer.ts'
import { createProject, endProgram, type Program, type Project, startProgram } from './realMonitor.ts'
import { until } from './startMonitor.ts'

/** What a webhook was told of one alert. */
export interface Told {
  /** When it came, ms. */
  readonly at: number
  readonly messageId: string
  readonly attempt: number
  readonly alertId: string
  readonly kind: string
  readonly subject: string
  readonly status: string
  /** The node that sent it. */
  readonly node: string
  /** Whether the message says that it may come twice: by its attempt, or in words. */
  readonly isMarked: boolean
}

/** One of several nodes of a bridge, in a process of its own. */
export interface Node {
  readonly name: string
  readonly project: Project
  /** Null while it does not run. */
  program: Program | null
  start(): void
  /** kill -9. */
  kill(): Promise<void>
  /** SIGTERM. */
  stop(): Promise<void>
}

export interface ReplicaWorld {
  readonly sandbox: Sandbox
  readonly nodes: readonly Node[]
  readonly told: () => readonly Told[]
  /** Whose log last said that it holds the lease, of those that run. */
  holder(): Node | null
  close(): Promise<void>
}

export interface ReplicaWorldOptions {
  /** Of each node: where PostgreSQL is, for it. */
  readonly databases: readonly string[]
  readonly bridge: string
  /** Node's own options, for a node by its place. */
  readonly node?: (index: number) => readonly string[]
  /** YAML of a scenario. */
  readonly scenario: string
  readonly rules?: string
  readonly more?: object
}

const names = ['a', 'b', 'c', 'd', 'e']

/** A sandbox, a webhook and several nodes of one bridge; none of these runs yet. */
export async function openReplicaWorld(options: ReplicaWorldOptions): Promise<ReplicaWorld> {
  const sandbox = createSandbox({
    clock: createSystemClock(),
    scenario: parseScenario(options.scenario, 'scenario.yaml'),
  })
  await sandbox.start()
  const times: number[] = []
  const service = await startChannelServer(() => {
    times.push(Date.now())
    return { status: 200, body: 'ok' }
  })
  const { contracts, tokens } = sandbox.world
  const nodes = options.databases.map((database, index) =>
    createNode(
      names[index] ?? String(index),
      (node) =>
        createProject({
          url: sandbox.url,
          ...(options.rules !== undefined && { rules: options.rules }),
          channels: { hook: { type: 'webhook', url: `${service.url}/${node}` } },
          more: {
            bridge: {
              contracts: Object.values(contracts),
              tokens: tokens.map(({ symbol, address, decimals }) => ({ symbol, address, decimals })),
            },
            replicas: { database, bridge: options.bridge, node },
            ...options.more,
          },
        }),
      options.node?.(index) ?? [],
    ),
  )
  return {
    sandbox,
    nodes,
    told: () => readTold(service, times),
    holder: () =>
      nodes.find((node) => node.program?.isRunning() && roleOf(node.program) === 'holder') ?? null,
    async close() {
      await Promise.all(nodes.map((node) => node.stop()))
      for (const node of nodes) node.project.remove()
      await service.close()
      await sandbox.stop()
    },
  }
}

function createNode(name: string, create: (name: string) => Project, options: readonly string[]): Node {
  const project = create(name)
  const node: Node = {
    name,
    project,
    program: null,
    start() {
      node.program = startProgram(['run', '-c', project.configPath], { node: options })
    },
    async kill() {
      node.program?.kill('SIGKILL')
      await node.program?.ended
      node.program = null
    },
    async stop() {
      if (node.program !== null) await endProgram(node.program)
      node.program = null
    },
  }
  return node
}

function roleOf(program: Program): 'holder' | 'follower' | null {
  const log = program.stderr()
  const [holds, follows] = [
    log.lastIndexOf('holds the lease: it watches'),
    log.lastIndexOf('this node follows'),
  ]
  if (holds < 0 && follows < 0) return null
  return holds > follows ? 'holder' : 'follower'
}

interface Body {
  readonly id: string
  readonly attempt: number
  readonly headline: string
  readonly items: readonly {
    readonly alertId: string
    readonly kind: string
    readonly subject: string
    readonly status: string
  }[]
}

function readTold({ posted }: ChannelServer, times: readonly number[]): Told[] {
  return posted.flatMap(({ body, path }, index) => {
    // Our own channel's body.
    const { id, attempt, headline, items } = JSON.parse(body) as Body
    const isMarked = attempt > 1 || headline.includes('may come twice')
    return items.map(({ alertId, kind, subject, status }) => ({
      at: times[index] ?? 0,
      node: path.slice(1),
      messageId: id,
      attempt,
      alertId,
      kind,
      subject,
      status,
      isMarked,
    }))
  })
}

/** Waits until a node holds the lease. @returns how long that took, ms */
export async function untilHeld(world: ReplicaWorld, withinMs = 60_000): Promise<number> {
  const from = Date.now()
  try {
    await until(() => world.holder() !== null, withinMs)
  } catch (cause) {
    const logs = world.nodes.map(({ name, program }) => `${name}: ${program?.stderr() ?? 'does not run'}`)
    throw new Error(`no node holds the lease after ${withinMs} ms:\n${logs.join('\n')}`, { cause })
  }
  return Date.now() - from
}

/**
 * A failed withdrawal every few seconds, each of an amount of its own, and nothing else that is wrong.
 * @param where on arrival, critical by the shipped rules; where it set out, with one error that makes them one case
 */
export function failuresEvery(
  seconds: number,
  count: number,
  where: 'arrival' | 'origin' = 'arrival',
): string {
  const legs = where === 'arrival' ? 'legs: both, ' : ''
  const faults = Array.from(
    { length: count },
    (_, index) =>
      `  - { at: ${4 + index * seconds}s, fault: transfer.failed, direction: ZoneToMain, ${legs}token: USDC, amount: "${1000 + index}.5" }`,
  )
  return [
    'name: failures',
    'description: A failed withdrawal every few seconds',
    'seed: 7',
    'timeline:',
    ...faults,
  ].join('\n')
}
