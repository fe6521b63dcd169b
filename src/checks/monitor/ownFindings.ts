import type { Finding } from '../../bridge/finding.ts'
import type { UnixMs } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/duration.ts'
import type { ClockJump } from '../../lib/rebaseInstant.ts'

/** What had to be mended when the state was opened. */
export function toRecovered(what: string, now: UnixMs): Finding {
  const facts = { file: 'cursors.json', reason: what }
  return ownFinding({
    kind: 'monitor.state_recovered',
    subject: `state:${now}`,
    title: `state file ${facts.file}`,
    facts,
    since: now,
  })
}

/** The wall clock was set, or the machine slept. */
export function toClockJump({ byMs, now }: ClockJump): Finding {
  const direction = byMs < 0 ? 'back' : 'on'
  return ownFinding({
    kind: 'monitor.clock_jump',
    subject: `clock:${now}`,
    title: `the wall clock moved ${direction} by ${formatDuration(Math.abs(byMs))}`,
    facts: { byMs, direction },
    since: now,
  })
}

function ownFinding(of: Pick<Finding, 'kind' | 'subject' | 'title' | 'facts' | 'since'>): Finding {
  return { transfer: null, labels: {}, evidence: [], ...of }
}
