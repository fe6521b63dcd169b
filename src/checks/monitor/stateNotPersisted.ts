import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import type { State } from '../../store/state.ts'
import { defineRaised } from '../../rules/kind.ts'

/** Found by createStateWatch; while nothing can be written at all, delivery/distress.ts sends it past the outbox. */
export const monitorStateNotPersisted = defineRaised({
  kind: 'monitor.state_not_persisted',
  docs: 'The state folder cannot be written, its disk is full, or it was removed.',
  remedy: 'Free space or repair the file system of the state folder; a restart now could repeat messages.',
  nature: 'condition',
  raisedBy: 'app',
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: { error: 'string' },
  params: z.strictObject({}),
})

/** The folder is looked at once in a while, not at every tick. */
const lookMs = 10_000

/** A disk that refused within this time is not to be relied on yet. */
const refusedMs = 60_000

type Watched = Pick<State, 'ballast' | 'diskErrors' | 'isInPlace' | 'isUnsaved'>

/**
 * Whether what is committed will still be there after a restart, although commits work: the reserve on the disk could
 * not be taken back, the disk refuses now and then, or the folder was removed or replaced while its files were open.
 */
export function createStateWatch(state: Watched) {
  let lookedAt = -Infinity
  // What was refused at the start counts as well.
  let seen = 0
  let refusedAt = -Infinity
  let found: string | null = null
  let trouble: { readonly error: string; readonly since: UnixMs } | null = null
  return (now: UnixMs): Finding[] => {
    const { count, last } = state.diskErrors()
    if (count > seen) {
      refusedAt = now
      // Named for what it is from the first message on.
      if (!state.isInPlace()) lookedAt = -Infinity
    }
    seen = count
    if (now - lookedAt >= lookMs || now < lookedAt) {
      lookedAt = now
      found = findTrouble(state)
    }
    const isRefusing = now >= refusedAt && now - refusedAt < refusedMs
    const error = found ?? (isRefusing ? `its disk refused: ${last}` : null)
    trouble = error === null ? null : { error, since: trouble?.since ?? now }
    return trouble === null ? [] : [toFinding(trouble)]
  }
}

function findTrouble({ ballast, isInPlace, isUnsaved }: Watched): string | null {
  if (!isInPlace())
    return 'it was removed or replaced while it was in use, or a file in it was; what is seen from now on is lost when this process ends'
  if (isUnsaved())
    return 'its disk takes nothing; what is found is kept in memory, and found and sent again if this process ends before there is room'
  return ballast.hold() ? null : 'its disk is full; the reserve has been given away'
}

function toFinding({ error, since }: { readonly error: string; readonly since: UnixMs }): Finding {
  return monitorStateNotPersisted.raise({
    subject: 'state',
    title: 'the state folder',
    transfer: null,
    facts: { error },
    labels: {},
    evidence: [],
    since,
  })
}
