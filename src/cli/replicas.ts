import { MonitorError } from '../lib/errors.ts'
import { Secret } from '../lib/secret.ts'
import type { DatabaseSettings } from '../replicas/address.ts'
import { type Connections, openConnections } from '../replicas/connect.ts'
import { findLease, type Lease, wantHolder } from '../replicas/lease.ts'
import { askNode, type Asked, forgetNode, listNodes, type SeenNode } from '../replicas/nodes.ts'
import { readBridge } from '../replicas/readBridge.ts'
import { readCa } from '../replicas/readCa.ts'
import { isRole, listNeeded, toGrants } from '../replicas/rights.ts'
import { setupSchema } from '../replicas/setupSchema.ts'
import { exitCodes, type Io } from './io.ts'
import { readConfig } from './loadProject.ts'
import { readDatabaseOption } from './databaseOption.ts'
import { shown, usage } from './readOptions.ts'
import { formatBridge, toBridgeJson } from './showBridge.ts'

/** Where PostgreSQL is and which bridge is meant: of the configuration, or in its place. */
export interface ReplicasCommand {
  readonly config: string
  readonly database?: string
  readonly ca?: string
  readonly bridge?: string
}

/** `spanwatch replicas status`: who watches, who could take over, and what is wrong. Fails when nobody watches. */
export async function showReplicas(
  io: Io,
  options: ReplicasCommand & { readonly json?: boolean },
): Promise<number> {
  return await withBridge(io, options, async ({ query }, bridge) => {
    const state = await readBridge(query, bridge)
    io.out(
      options.json
        ? `${JSON.stringify(toBridgeJson(state, io.clock.now()), null, 2)}\n`
        : formatBridge(io, state),
    )
    return state.lease.isOver ? exitCodes.wrong : exitCodes.fine
  })
}

/** `spanwatch replicas promote`: this node shall watch. */
export async function promoteReplica(io: Io, node: string, options: ReplicasCommand): Promise<number> {
  return await withBridge(io, options, async ({ query }, bridge) => {
    const { lease, nodes } = await readBridge(query, bridge)
    if (!lease.isOver && lease.node === node) {
      io.out(`${node} holds the lease already.\n`)
      return exitCodes.fine
    }
    assertThere(nodes, node, freshMs)
    await wantHolder(query, bridge, node)
    const now = await waitForHolder(io, { query, bridge }, (next) => next.node === node)
    if (now.isOver || now.node !== node) await wantHolder(query, bridge, null)
    return sayHolder(io, now, now.node === node)
  })
}

/** `spanwatch replicas demote`: whoever watches makes room for another. */
export async function demoteReplica(io: Io, options: ReplicasCommand): Promise<number> {
  return await withBridge(io, options, async ({ query }, bridge) => {
    const { lease, nodes } = await readBridge(query, bridge)
    const holder = assertHeld(lease)
    assertOther(nodes, holder)
    if (!(await askNode(query, { bridge, node: holder }, 'demote'))) throw unknownNode(nodes, holder)
    const now = await waitForHolder(io, { query, bridge }, (next) => next.node !== holder)
    return sayHolder(io, now, now.node !== holder)
  })
}

/** `spanwatch replicas rebuild`: this node's ledger begins anew from a snapshot. */
export async function rebuildReplica(io: Io, node: string, options: ReplicasCommand): Promise<number> {
  return await withBridge(io, options, async ({ query }, bridge) => {
    const { lease, nodes, snapshot } = await readBridge(query, bridge)
    // It is asked for until it hears it: one that only starts again does.
    assertThere(nodes, node, missingMs)
    if (snapshot === null)
      throw new MonitorError('not_found', 'There is no snapshot yet to begin a ledger from.')
    if (!lease.isOver && lease.node === node) assertOther(nodes, node)
    await askNode(query, { bridge, node }, 'rebuild')
    const isTaken = await waitUntil(io, async () => !(await isAsked({ query, bridge }, node, 'rebuild')))
    if (isTaken) io.out(`${node} builds its ledger anew; its log says how that goes.\n`)
    else io.err(`${node} has not heard of it within 30 s; it does as soon as it is there.\n`)
    return isTaken ? exitCodes.fine : exitCodes.wrong
  })
}

/** `spanwatch replicas forget`: a node that was taken away is missed no more. */
export async function forgetReplica(io: Io, node: string, options: ReplicasCommand): Promise<number> {
  return await withBridge(io, options, async ({ query }, bridge) => {
    const nodes = await listNodes(query, bridge)
    const one = nodes.find((known) => known.node === node)
    if (one === undefined) throw unknownNode(nodes, node)
    if (one.seenAgoMs < missingMs)
      throw usage(`${node} was seen ${Math.round(one.seenAgoMs / 1_000)} s ago: stop it first.`)
    await forgetNode(query, { bridge, node })
    io.out(`${node} is forgotten. If it comes again, it is known again.\n`)
    return exitCodes.fine
  })
}

/** `spanwatch replicas setup`: makes the tables, and prints what gives a role the rights to run nodes. */
export async function setupReplicas(
  io: Io,
  options: Omit<ReplicasCommand, 'bridge'> & { readonly role: string },
): Promise<number> {
  const { settings } = readTarget(io, options)
  return await withConnections(settings, async (connections) => {
    const before = await setupSchema(connections)
    io.err(before === 0 ? 'The tables were made.\n' : `The tables were there, of version ${before}.\n`)
    const { query } = connections
    const { role } = options
    io.out(`-- The least rights of a role that runs nodes, to be given by the owner of the tables:\n`)
    if (!(await isRole(query, role)))
      io.out(`CREATE ROLE "${role.replaceAll('"', '""')}" LOGIN PASSWORD '…';\n`)
    io.out(`${toGrants(role, await listNeeded(query)).join('\n')}\n`)
    return exitCodes.fine
  })
}

const timeoutMs = 10_000
const patienceMs = 30_000
const lookMs = 500
/** A node says every two seconds that it is there. */
const missingMs = 30_000
const freshMs = 5_000

async function withBridge(
  io: Io,
  options: ReplicasCommand,
  work: (connections: Connections, bridge: string) => Promise<number>,
): Promise<number> {
  const { settings, bridge } = readTarget(io, options)
  if (bridge === null) throw usage('--bridge: expected the name of a bridge beside --database')
  return await withConnections(settings, (connections) => work(connections, bridge))
}

async function withConnections(
  settings: DatabaseSettings,
  work: (connections: Connections) => Promise<number>,
): Promise<number> {
  const connections = openConnections(settings, { most: 1, timeoutMs }, 'command')
  try {
    return await work(connections)
  } finally {
    await connections.close()
  }
}

function readTarget(
  io: Pick<Io, 'env' | 'protect'>,
  { config, database, ca, bridge }: ReplicasCommand,
): { readonly settings: DatabaseSettings; readonly bridge: string | null } {
  if (database !== undefined) {
    const secret = new Secret(readDatabaseOption(io, database))
    io.protect([secret])
    return { settings: { database: secret, ca: readCa(ca ?? null) }, bridge: bridge ?? null }
  }
  const { replicas } = readConfig(io, config, { needs: ['replicas'] }).config
  if (replicas === null)
    throw usage(
      `${config} has no replicas: add them (docs/replicas.md), or name --database and --bridge here.`,
    )
  const file = ca ?? replicas.caFile
  return {
    settings: { database: replicas.database, ca: readCa(file) },
    bridge: bridge ?? replicas.bridge,
  }
}

interface Bridge extends Pick<Connections, 'query'> {
  readonly bridge: string
}

/** The lease as it is once somebody holds it as is wished, or when patience ends. */
async function waitForHolder(
  io: Io,
  { query, bridge }: Bridge,
  isWished: (lease: Lease) => boolean,
): Promise<Lease> {
  let lease: Lease | null = null
  await waitUntil(io, async () => {
    lease = await findLease(query, bridge)
    return lease !== null && !lease.isOver && isWished(lease)
  })
  lease ??= await findLease(query, bridge)
  if (lease === null) throw new MonitorError('not_found', `PostgreSQL knows no bridge ${bridge} any more.`)
  return lease
}

async function waitUntil({ clock, stop }: Io, isSo: () => Promise<boolean>): Promise<boolean> {
  const deadline = clock.monotonicMs() + patienceMs
  while (!(await isSo())) {
    if (stop.aborted || clock.monotonicMs() >= deadline) return false
    await clock.sleep(lookMs, stop)
  }
  return true
}

function sayHolder(io: Io, { node, isOver, epoch }: Lease, isWished: boolean): number {
  if (isOver || node === null) io.err('No node holds the lease now: spanwatch replicas status says more.\n')
  else if (!isWished) io.err(`${node} still holds the lease, under epoch ${epoch}: its log may say why.\n`)
  else io.out(`${node} holds the lease, under epoch ${epoch}.\n`)
  return isOver || !isWished ? exitCodes.wrong : exitCodes.fine
}

async function isAsked({ query, bridge }: Bridge, node: string, asked: Asked): Promise<boolean> {
  const rows = await query('SELECT 1 FROM spanwatch.nodes WHERE bridge = $1 AND node = $2 AND asked = $3', [
    bridge,
    node,
    asked,
  ])
  return rows.length > 0
}

function assertHeld({ isOver, node }: Lease): string {
  if (!isOver && node !== null) return node
  throw new MonitorError('not_found', 'No node holds the lease: there is nobody to step down.')
}

function assertThere(nodes: readonly SeenNode[], node: string, withinMs: number): void {
  const one = nodes.find((known) => known.node === node)
  if (one === undefined) throw unknownNode(nodes, node)
  if (one.seenAgoMs >= withinMs)
    throw new MonitorError(
      'not_found',
      `${node} has not been seen for ${Math.round(one.seenAgoMs / 1_000)} s: start it first.`,
    )
}

/** Nobody is left alone with nobody to take over. */
function assertOther(nodes: readonly SeenNode[], holder: string): void {
  if (nodes.some(({ node, seenAgoMs }) => node !== holder && seenAgoMs < freshMs)) return
  throw new MonitorError('not_found', `No other node is there: nobody would watch in the place of ${holder}.`)
}

function unknownNode(nodes: readonly SeenNode[], node: string): MonitorError {
  const known = nodes.map((one) => one.node).join(', ') || 'none'
  return new MonitorError('not_found', `There is no node ${shown(node)}; known are: ${known}.`)
}
