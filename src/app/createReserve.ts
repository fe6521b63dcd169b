import type { Finding } from '../domain/finding.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { State } from '../store/openState.ts'

/**
 * The reserve on the disk could not be taken back: commits work, because it was given away, and will not for long.
 * The disk is looked at once in a while, not at every tick.
 */
export function createReserve({ ballast }: Pick<State, 'ballast'>) {
  let checkedAt = -Infinity
  let since: UnixMs | null = null
  return (now: UnixMs): Finding[] => {
    if (now - checkedAt >= reserveMs || now < checkedAt) {
      checkedAt = now
      since = ballast.hold() ? null : (since ?? now)
    }
    return since === null ? [] : [toDiskFull(since)]
  }
}

const reserveMs = 10_000

function toDiskFull(since: UnixMs): Finding {
  const error = 'the disk of the state folder is full; its reserve has been given away'
  return {
    kind: 'monitor.state_not_persisted',
    subject: 'state',
    title: `the state folder: ${error}`,
    transfer: null,
    facts: { error },
    labels: {},
    evidence: [],
    since,
  }
}
