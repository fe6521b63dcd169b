/**
 * `npm run bench:replica-partitions [part of a name]`: two real nodes, a proxy between each and a real PostgreSQL, a failed
 * withdrawal every 4 s, and one thing after the other that goes wrong. A table says what was told when. Three worlds at a time.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { compareNodes } from '../test/support/compareNodes.ts'
import {
  failuresEvery,
  openReplicaWorld,
  type ReplicaWorld,
  type Told,
  untilHeld,
} from '../test/support/replicaWorld.ts'
import { type Postgres, startPostgres } from '../test/support/startPostgres.ts'
import { type LinkMode, startTcpProxy, type TcpProxy } from '../test/support/tcpProxy.ts'

const everySeconds = 4
const beforeMs = 14_000
const afterMs = 45_000

interface Stage {
  readonly world: ReplicaWorld
  readonly postgres: Postgres
  /** To PostgreSQL, from the first holder, from the other node, and from who looks on. */
  readonly links: readonly [TcpProxy, TcpProxy, TcpProxy]
}

interface Trouble {
  readonly name: string
  readonly lastsMs: number
  /** Before the nodes start. */
  prepare?(stage: Pick<Stage, 'postgres'>): Promise<void>
  begin(stage: Stage): Promise<void> | void
  end(stage: Stage): Promise<void> | void
  close?(): Promise<unknown>
  readonly postgres?: Readonly<Record<string, string>>
  /** Node's own options of the two. */
  readonly node?: (index: number) => readonly string[]
  readonly folder?: () => string
}

const link = (name: string, modes: readonly [LinkMode, LinkMode], lastsMs: number): Trouble => ({
  name,
  lastsMs,
  begin: ({ links }) => links.forEach((one, index) => one.set(modes[index] ?? 'open')),
  end: ({ links }) => links.forEach((one) => one.set('open')),
})

/** An hour ahead, by the wall clock alone. */
const aheadFile = join(mkdtempSync(join(tmpdir(), 'spanwatch-clock-')), 'ahead.mjs')
writeFileSync(aheadFile, 'const now = Date.now.bind(Date)\nDate.now = () => now() + 3_600_000\n')

const troubles: readonly Trouble[] = [
  link('holder cut off, 5 s', ['cut', 'open'], 5_000),
  link('holder cut off, 30 s', ['cut', 'open'], 30_000),
  link('holder half-open, 30 s', ['half-open', 'open'], 30_000),
  link('holder half-open, 5 min', ['half-open', 'open'], 300_000),
  link('follower cut off, 30 s', ['open', 'cut'], 30_000),
  link('follower half-open, 60 s', ['open', 'half-open'], 60_000),
  link('both cut off, 60 s', ['cut', 'cut'], 60_000),
  link('both half-open, 30 s', ['half-open', 'half-open'], 30_000),
  link('both links slow (0.4 s each way), 60 s', ['slow', 'slow'], 60_000),
  link('holder slow, follower cut off, 30 s', ['slow', 'cut'], 30_000),
  {
    name: 'PostgreSQL killed, back after 3 s',
    lastsMs: 3_000,
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.start(),
  },
  {
    name: 'PostgreSQL killed, back after 60 s',
    lastsMs: 60_000,
    begin: ({ postgres }) => postgres.kill(),
    end: ({ postgres }) => postgres.start(),
  },
  {
    name: 'holder suspended (SIGSTOP), 30 s',
    lastsMs: 30_000,
    begin: ({ world }) => void process.kill(world.nodes[0]?.program?.pid ?? 0, 'SIGSTOP'),
    end: ({ world }) => void process.kill(world.nodes[0]?.program?.pid ?? 0, 'SIGCONT'),
  },
  {
    name: 'follower suspended (SIGSTOP), 30 s',
    lastsMs: 30_000,
    begin: ({ world }) => void process.kill(world.nodes[1]?.program?.pid ?? 0, 'SIGSTOP'),
    end: ({ world }) => void process.kill(world.nodes[1]?.program?.pid ?? 0, 'SIGCONT'),
  },
  {
    name: "the follower's clock an hour ahead; holder killed",
    lastsMs: 15_000,
    node: (index) => (index === 1 ? ['--import', aheadFile] : []),
    begin: ({ world }) => world.nodes[0]?.kill(),
    end: ({ world }) => world.nodes[0]?.start(),
  },
  {
    name: 'holder cut off, and killed and started meanwhile, 30 s',
    lastsMs: 30_000,
    async begin({ links, world }) {
      links[0].set('cut')
      await pause(3_000)
      await world.nodes[0]?.kill()
      world.nodes[0]?.start()
    },
    end: ({ links }) => links[0].set('open'),
  },
  failover('synchronous'),
  failover('asynchronous'),
  {
    name: "PostgreSQL's disk full, 40 s",
    lastsMs: 40_000,
    folder: smallDisk,
    begin: ({ postgres }) => fillDisk(postgres.folder),
    end: ({ postgres }) => rmSync(join(postgres.folder, 'filling'), { force: true }),
  },
]

/** PostgreSQL is killed, and its standby takes its place after the time; of an asynchronous one the last changes may be gone. */
function failover(kind: 'synchronous' | 'asynchronous'): Trouble {
  let standby: Postgres | null = null
  return {
    name: `PostgreSQL killed, its ${kind} standby promoted after 10 s`,
    lastsMs: 10_000,
    async prepare({ postgres }) {
      standby = await startPostgres({ fsync: 'on' }, { standbyOf: postgres })
      if (kind === 'asynchronous') return
      const client = new Client({ connectionString: postgres.url })
      await client.connect()
      await client.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
      await client.query('SELECT pg_reload_conf()')
      await client.end()
    },
    begin: ({ postgres }) => postgres.kill(),
    async end({ links }) {
      await standby?.promote()
      for (const one of links) {
        one.lead(standby?.port ?? 0)
        one.set('cut')
        one.set('open')
      }
    },
    close: async () => standby?.stop(),
  }
}

interface Sample {
  readonly at: number
  readonly epoch: number
  readonly node: string | null
  readonly isOver: boolean
}

interface Outcome {
  readonly trouble: string
  readonly expected: number
  readonly told: readonly Told[]
  readonly samples: readonly Sample[]
  readonly startedAt: number
  readonly differing: readonly string[]
}

const wanted = process.argv[2] ?? ''
const queue = troubles.filter(({ name }) => name.includes(wanted))
console.log(
  'trouble | failures, told | lost | twice unmarked | marked | unmarked without lease | longest wait s | replica_unreachable | held by | ledgers',
)
await Promise.all(
  Array.from({ length: 3 }, async (_, lane) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      await play(next, lane).then(report, (error: unknown) => {
        console.log(`${next.name}: ${error instanceof Error ? error.stack : String(error)}`)
        process.exitCode = 1
      })
  }),
)

async function play(trouble: Trouble, lane: number): Promise<Outcome> {
  await pause(lane * 3_000)
  const folder = trouble.folder?.()
  const postgres = await startPostgres({ fsync: 'on', ...trouble.postgres }, { ...(folder && { folder }) })
  const url = await postgres.createDatabase('partitions')
  await trouble.prepare?.({ postgres })
  const links = [
    await startTcpProxy(postgres.port),
    await startTcpProxy(postgres.port),
    await startTcpProxy(postgres.port),
  ] as const
  const expected = Math.floor((beforeMs + trouble.lastsMs + 12_000) / (everySeconds * 1_000))
  const world = await openReplicaWorld({
    databases: links.slice(0, 2).map(({ port }) => url.replace(`:${postgres.port}/`, `:${port}/`)),
    bridge: 'usdc',
    scenario: failuresEvery(everySeconds, expected),
    ...(trouble.node && { node: trouble.node }),
  })
  const sampling = new AbortController()
  const samples = sampleLease(url.replace(`:${postgres.port}/`, `:${links[2].port}/`), sampling.signal)
  try {
    const startedAt = Date.now()
    world.nodes[0]?.start()
    await untilHeld(world)
    world.nodes[1]?.start()
    await pause(Math.max(beforeMs - (Date.now() - startedAt), 5_000))
    await trouble.begin({ world, postgres, links })
    await pause(trouble.lastsMs)
    await trouble.end({ world, postgres, links })
    await pause(afterMs)
    const differing = await compareNodes(world)
    sampling.abort()
    if (process.env['LOGS'] !== undefined)
      for (const node of world.nodes) console.log(node.name, node.program?.stderr())
    return {
      trouble: trouble.name,
      expected,
      told: world.told(),
      samples: await samples,
      startedAt,
      differing,
    }
  } finally {
    sampling.abort()
    await world.close()
    for (const one of links) await one.close()
    await trouble.close?.()
    await postgres.stop()
    if (folder !== undefined) spawnSync('umount', ['-l', dirname(folder)])
  }
}

/** Who held the lease when, as PostgreSQL says itself. */
async function sampleLease(url: string, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = []
  while (!signal.aborted) {
    const client = new Client({ connectionString: url, query_timeout: 1_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      while (!signal.aborted) {
        const { rows } = await client.query<{ epoch: string; node: string | null; over: boolean }>(
          'SELECT epoch, node, until <= clock_timestamp() AS over FROM spanwatch.leases',
        )
        const [row] = rows
        if (row) samples.push({ at: Date.now(), epoch: Number(row.epoch), node: row.node, isOver: row.over })
        await pause(50)
      }
    } catch {
      await pause(200)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
  return samples
}

/** Unmarked messages of a node at a moment at which another one is known to have held the lease for a while. */
function countStrays({ told, samples }: Outcome): number {
  return told.filter(({ at, node, isMarked }) => {
    const near = samples.filter((one) => Math.abs(one.at - at) <= 500)
    return !isMarked && near.length > 0 && near.every((one) => one.node !== node && !one.isOver)
  }).length
}

/** Epochs only rise, and each has one node. */
function isLinear(samples: readonly Sample[]): boolean {
  const nodes = new Map<number, string | null>()
  let last = 0
  for (const { epoch, node } of samples) {
    if (epoch < last || (nodes.has(epoch) && nodes.get(epoch) !== node)) return false
    nodes.set(epoch, node)
    last = epoch
  }
  return true
}

function report(outcome: Outcome): void {
  const { trouble, expected, told, samples, startedAt, differing } = outcome
  const failures = told.filter(({ kind }) => kind === 'transfer.failed')
  const subjects = new Map(failures.toReversed().map((one) => [one.subject, one]))
  const unmarked = Map.groupBy(
    told.filter(({ isMarked }) => !isMarked),
    ({ alertId, status, node }) =>
      `${alertId} ${status} ${status === 'firing' || status === 'resolved' ? node : ''}`,
  )
  const twice = [...unmarked.values()].filter(
    (list) => list.length > 1 && list[0]?.kind === 'transfer.failed',
  ).length
  const marked = failures.filter(({ isMarked }) => isMarked).length
  const waits = [...subjects.values()]
    .toSorted((a, b) => a.at - b.at)
    .map(({ at }, index) => at - startedAt - (4 + index * everySeconds) * 1_000)
  const unreachable = told.filter(({ kind }) => kind === 'monitor.replica_unreachable').length
  const epochs = [...new Map(samples.map(({ epoch, node }) => [epoch, node])).values()].join(' → ')
  const strays = countStrays(outcome)
  console.log(
    [
      trouble,
      `${expected}, ${subjects.size}`,
      expected - subjects.size,
      twice,
      marked,
      strays,
      (Math.max(...waits) / 1_000).toFixed(1),
      unreachable,
      `${epochs}${isLinear(samples) ? '' : ' NOT LINEAR'}`,
      differing.join(', ') || 'same',
    ].join(' | '),
  )
  if (expected !== subjects.size || twice > 0 || strays > 0 || !isLinear(samples) || differing.length > 0)
    process.exitCode = 1
}

/** A folder in a file system of its own; only root can make one. */
function smallDisk(): string {
  const disk = mkdtempSync(join(tmpdir(), 'spanwatch-small-'))
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=755', 'tmpfs', disk], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`no small disk could be made: ${stderr}`)
  const folder = join(disk, 'server')
  mkdirSync(folder)
  return folder
}

function fillDisk(folder: string): void {
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(join(folder, 'filling'), Buffer.alloc(bavail * bsize))
}
