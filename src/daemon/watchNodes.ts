import type { ReplicaNode, ReplicaStatus } from '../kernel/kernel.ts'
import { errorText } from '../lib/errors.ts'
import { leaseMs } from '../replicas/leaseTime.ts'
import { listNodes } from '../replicas/nodes.ts'
import type { ReplicaRun } from './replicaRun.ts'

/** The nodes of a bridge as they were last looked at. */
export interface SeenNodes {
  nodes: readonly ReplicaNode[]
  missing: ReplicaStatus['missing']
}

const lookMs = 5_000
/** One that was not seen for so long is missing. */
const missingMs = 30_000

/** Looks at the nodes of a bridge again and again, until `signal`. */
export function watchNodes(
  run: Pick<ReplicaRun, 'deps' | 'data' | 'bridge' | 'node'>,
  signal: AbortSignal,
): SeenNodes {
  const seen: SeenNodes = { nodes: [], missing: [] }
  void look(run, seen, signal)
  return seen
}

async function look(
  { deps: { clock, log }, ...run }: Pick<ReplicaRun, 'deps' | 'data' | 'bridge' | 'node'>,
  seen: SeenNodes,
  signal: AbortSignal,
): Promise<void> {
  // Who could not say that he is there, because PostgreSQL was away or takes of nobody what he says, as of this very node, or
  // all began just now, has his whole time.
  let from = clock.now()
  while (!signal.aborted) {
    try {
      const listed = await listNodes(run.data.query, run.bridge)
      const now = clock.now()
      const own = listed.find(({ node }) => node === run.node)
      if (own !== undefined && own.seenAgoMs >= leaseMs) from = now
      seen.nodes = listed.map(({ node, role, seq, program, pageUrl, seenAgoMs }) => ({
        node,
        role,
        seq,
        program,
        pageUrl,
        seenAt: now - seenAgoMs,
      }))
      seen.missing = listMissing(seen.nodes, { now, from, own: run.node })
    } catch (error) {
      log.debug(`the other nodes could not be read: ${errorText(error)}`)
      from = clock.now()
    }
    await clock.sleep(lookMs, signal)
  }
}

export function listMissing(
  nodes: readonly Pick<ReplicaNode, 'node' | 'seenAt'>[],
  { now, from, own }: { readonly now: number; readonly from: number; readonly own: string },
): ReplicaStatus['missing'] {
  return nodes
    .filter(({ node, seenAt }) => node !== own && now - Math.max(seenAt, from) >= missingMs)
    .map(({ node, seenAt }) => ({ node, since: seenAt }))
}
