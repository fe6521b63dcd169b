import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { ReplicaStatus } from '../../kernel/kernel.ts'
import { cleanText } from '../../lib/text.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { defineRaised } from '../../rules/kind.ts'

/** Found by judgeReplica, on the node that watches; a follower says it past the outbox (daemon/tellOutage.ts). */
export const monitorReplicaUnreachable = defineRaised({
  kind: 'monitor.replica_unreachable',
  docs: 'PostgreSQL, by which the nodes of this bridge take over from each other, does not answer; or a node has not been seen for 30 s.',
  remedy:
    'This node goes on watching, but nobody takes over if it ends: look at PostgreSQL and the network, or start the node that is gone.',
  nature: 'condition',
  raisedBy: 'app',
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: { what: 'string', node: 'string', problem: 'string' },
  params: z.strictObject({}),
})

/** A connection that is opened anew takes seconds. */
const patienceMs = 5_000

type Judged = Pick<ReplicaStatus, 'role' | 'unreachable' | 'missing'>

/** What is wrong between the nodes, as the holder sees it. */
export function judgeReplica({ role, unreachable, missing }: Judged, now: UnixMs): Finding[] {
  if (role !== 'holder') return []
  const database =
    unreachable === null || now - unreachable.since < patienceMs
      ? []
      : [
          toFinding('database', {
            what: 'database',
            node: '',
            problem: cleanText(unreachable.problem, 300),
            since: unreachable.since,
          }),
        ]
  return [
    ...database,
    ...missing.map(({ node, since }) =>
      toFinding(`node ${node}`, {
        what: 'node',
        node,
        problem: 'it has not been seen',
        since,
      }),
    ),
  ]
}

function toFinding(
  subject: string,
  {
    since,
    ...facts
  }: {
    readonly what: 'database' | 'node'
    readonly node: string
    readonly problem: string
    readonly since: UnixMs
  },
): Finding {
  return monitorReplicaUnreachable.raise({
    subject,
    title: facts.what === 'node' ? `node ${facts.node}` : 'PostgreSQL',
    transfer: null,
    facts,
    labels: {},
    evidence: [],
    since,
  })
}
