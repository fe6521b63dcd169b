// npm run bench:replica-kills [kills] [nodes] [worlds]: the holder of several real nodes is killed at random instants, over and
// over: who is told what, how long nobody watches, whether the ledgers are the same when it is quiet.
import { setTimeout as pause } from 'node:timers/promises'
import { compareNodes } from '../test/support/compareNodes.ts'
import {
  failuresEvery,
  openReplicaWorld,
  type ReplicaWorld,
  type Told,
} from '../test/support/replicaWorld.ts'
import { startPostgres } from '../test/support/startPostgres.ts'

const kills = Number(process.argv[2] ?? 30)
const nodeCount = Number(process.argv[3] ?? 2)
const worldCount = Number(process.argv[4] ?? 1)
const secondsOfKill = 16
const everySeconds = 4

interface Outcome {
  readonly takeovers: readonly number[]
  readonly expected: number
  readonly told: readonly Told[]
  readonly differing: readonly string[]
}

const postgres = await startPostgres({ fsync: 'on' })
const outcomes = await Promise.all(Array.from({ length: worldCount }, (_, index) => play(index)))
await postgres.stop()
report(outcomes)

async function play(index: number): Promise<Outcome> {
  const url = await postgres.createDatabase(`kills${index}`)
  const wanted = Math.ceil(kills / worldCount)
  const expected = Math.ceil((wanted * secondsOfKill) / everySeconds)
  const world = await openReplicaWorld({
    databases: Array.from({ length: nodeCount }, () => url),
    bridge: `bridge${index}`,
    scenario: failuresEvery(everySeconds, expected),
  })
  const startedAt = Date.now()
  const takeovers: number[] = []
  try {
    for (const node of world.nodes) node.start()
    await untilWatching(world, null)
    for (let kill = 0; kill < wanted; kill += 1) {
      await pause(1_500 + Math.random() * 4_000)
      const holder = world.holder()
      if (holder === null) throw new Error('nobody holds the lease')
      const killedAt = Date.now()
      await holder.kill()
      takeovers.push((await untilWatching(world, holder.name)) - killedAt)
      holder.start()
      if (kill % 10 === 9)
        console.log(`bridge${index}: ${kill + 1} of ${wanted} kills, takeover ${takeovers.at(-1)} ms`)
    }
    // All that was planned has happened, and a while for it to be told.
    await pause(Math.max(startedAt + (4 + expected * everySeconds) * 1_000 - Date.now(), 0) + 30_000)
    const differing = await compareNodes(world)
    return { takeovers, expected, told: world.told(), differing }
  } catch (error) {
    for (const node of world.nodes) console.log(node.name, node.program?.stderr().slice(-3_000))
    throw error
  } finally {
    await world.close()
  }
}

/** Waits until another node watches. @returns when it said so */
async function untilWatching(world: ReplicaWorld, except: string | null): Promise<number> {
  const deadline = Date.now() + 60_000
  for (;;) {
    const holder = world.holder()
    if (holder !== null && holder.name !== except && isWatching(holder.program?.stderr() ?? ''))
      return Date.now()
    if (Date.now() > deadline) throw new Error('nobody took over within a minute')
    await pause(20)
  }
}

function isWatching(log: string): boolean {
  return log.lastIndexOf('"msg":"watching"') > log.lastIndexOf('holds the lease: it watches')
}

function report(all: readonly Outcome[]): void {
  const takeovers = all.flatMap((one) => one.takeovers).toSorted((a, b) => a - b)
  const at = (share: number) =>
    takeovers[Math.min(Math.floor(takeovers.length * share), takeovers.length - 1)] ?? 0
  console.log(
    `kill -9 of the holder: ${takeovers.length}, ${nodeCount} nodes, ${worldCount} bridges side by side`,
  )
  console.log(
    `takeover, ms:          p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${takeovers.at(-1)} (targets 11000, 15000)`,
  )
  for (const [index, { expected, told, differing }] of all.entries()) {
    const failed = new Set(
      told.filter(({ kind }) => kind === 'transfer.failed').map(({ subject }) => subject),
    )
    const unmarked = Map.groupBy(
      told.filter(({ isMarked }) => !isMarked),
      ({ alertId, status }) => `${alertId} ${status}`,
    )
    const twice = [...unmarked.values()].filter((list) => list.length > 1)
    const marked = told.filter(({ isMarked }) => isMarked).length
    const others = Map.groupBy(
      told.filter(({ kind }) => kind !== 'transfer.failed'),
      ({ kind, status }) => `${kind} ${status}`,
    )
    console.log(
      `bridge${index}: failures ${expected}, told ${failed.size} (lost ${expected - failed.size}, target 0)`,
    )
    console.log(
      `  twice unmarked ${twice.length} (target 0), marked ${marked}, differing tables: ${differing.join(', ') || 'none'}`,
    )
    for (const [name, list] of others) console.log(`  beside: ${name}: ${list.length}`)
    for (const list of twice)
      console.log(
        '  ',
        list.map(({ kind, subject, at, messageId }) => `${kind} ${subject} ${at} ${messageId}`).join(' | '),
      )
    if (failed.size !== expected || twice.length > 0 || differing.length > 0) process.exitCode = 1
  }
}
