import { z } from 'zod'
import type { Finding } from '../../bridge/finding.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { ClockJump } from '../../lib/rebaseInstant.ts'
import { defineRaised } from '../../rules/kind.ts'

export const monitorClockJump = defineRaised({
  kind: 'monitor.clock_jump',
  docs: 'The wall clock of this machine was set, or the machine slept.',
  remedy: 'Check time synchronisation of this machine.',
  nature: 'event',
  raisedBy: 'app',
  sources: [],
  ties: [],
  isGuard: true,
  hasTransfer: false,
  subjectNames: [],
  facts: { byMs: 'int', direction: ['on', 'back'] },
  params: z.strictObject({}),
})

/** The wall clock was set, or the machine slept. */
export function toClockJump({ byMs, now }: ClockJump): Finding {
  const direction = byMs < 0 ? 'back' : 'on'
  return monitorClockJump.raise({
    subject: `clock:${now}`,
    title: `the wall clock moved ${direction} by ${formatDuration(Math.abs(byMs))}`,
    transfer: null,
    facts: { byMs, direction },
    labels: {},
    evidence: [],
    since: now,
  })
}
