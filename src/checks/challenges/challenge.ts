import type { UnixMs } from '../../lib/clock.ts'

/** What is known of a bridge transaction's challenge: '' is no data. */
export interface Challenge {
  readonly hash: string
  readonly contract: string
  readonly height: number
  readonly status: string
  /** The base layer's transaction. */
  readonly l1: string
  /** Since when the status has been what it is, by our clock. */
  readonly since: UnixMs
  readonly readAt: UnixMs
  /** How many changes were reported. */
  readonly changes: number
  /** Earlier values of both fields, oldest first. */
  readonly past: readonly string[]
  /** Earlier values that came back, one on each line, until a later answer agrees. */
  readonly candidate: { readonly status: string; readonly at: UnixMs } | null
}

/** What the configuration says of the values of a status; empty lists know none. */
export interface ChallengeValues {
  readonly known: readonly string[]
  readonly terminal: readonly string[]
}

export interface ChallengeChange {
  readonly field: 'challengeStatus' | 'l1OriginHash'
  /** '' when it is the first value. */
  readonly before: string
  readonly after: string
  readonly isUnknown: boolean
  /** A first value that is new while many others had other ones. */
  readonly isRare: boolean
  readonly wasTerminal: boolean
}

/** How much later a value that was held before must be given again, ms: a replica that lags alternates. */
const confirmMs = 30_000
const maxPast = 16
const separator = '\n'

/**
 * Takes one more reading of a transaction into account. The first value of a field is recorded only, unless it is rare;
 * every change of a known one is a change; an empty field changes nothing.
 */
export function noteChallenge(
  before: Challenge | null,
  row: Pick<Challenge, 'hash' | 'contract' | 'height' | 'status' | 'l1'>,
  at: UnixMs,
  values: ChallengeValues,
  isRare = false,
): { readonly challenge: Challenge; readonly changes: readonly ChallengeChange[] } {
  const base: Challenge = before ?? {
    ...row,
    status: '',
    l1: '',
    since: at,
    readAt: at,
    changes: 0,
    past: [],
    candidate: null,
  }
  const again = (['status', 'l1'] as const).flatMap((field) =>
    row[field] !== base[field] && base.past.includes(row[field]) ? row[field] : [],
  )
  const known = base.candidate?.status.split(separator) ?? []
  // Beside a status that waits a hash that alternates begins nothing anew: it would never have waited long enough.
  const isNewStatus = again.includes(row.status) && !known.includes(row.status)
  const goesOn = !isNewStatus && again.some((value) => known.includes(value))
  const since = base.candidate !== null && goesOn ? base.candidate.at : at
  const isLagging = (value: string) => again.includes(value) && at - since < confirmMs
  const takesStatus = row.status !== '' && row.status !== base.status && !isLagging(row.status)
  const takesL1 = row.l1 !== '' && row.l1 !== base.l1 && !isLagging(row.l1)
  const changes: ChallengeChange[] = []
  const isUnknown =
    values.known.length > 0 && !values.known.includes(row.status) && !values.terminal.includes(row.status)
  const wasTerminal = values.terminal.includes(base.status)
  if (takesStatus && (base.status !== '' || isUnknown || isRare)) {
    const words = { before: base.status, after: row.status }
    changes.push({ field: 'challengeStatus', ...words, isUnknown, isRare, wasTerminal })
  }
  if (takesL1 && base.l1 !== '') {
    changes.push({
      field: 'l1OriginHash',
      before: base.l1,
      after: row.l1,
      isUnknown: false,
      isRare: false,
      wasTerminal: false,
    })
  }
  const left = [takesStatus && base.status, takesL1 && base.l1].filter((value) => value !== false)
  const past = [...base.past, ...left.filter((value) => value !== '')].slice(-maxPast)
  return {
    changes,
    challenge: {
      ...base,
      height: row.height,
      status: takesStatus ? row.status : base.status,
      l1: takesL1 ? row.l1 : base.l1,
      since: takesStatus ? at : base.since,
      // An answer that lags says nothing of the present.
      readAt: row.status === '' && base.status !== '' ? base.readAt : Math.max(base.readAt, at),
      changes: base.changes + changes.length,
      past,
      candidate: again.some(isLagging) ? { status: again.join(separator), at: since } : null,
    },
  }
}

/** How long a stretch of blocks rests before its transactions are read again, ms: values change days later. */
export function nextCheckMs(checks: number, hasValues: boolean): number {
  const minutes = hasValues ? [1, 2, 5, 10, 20, 30, 60, 120, 240] : [1, 10, 60, 360, 1_440]
  return (minutes[checks] ?? (hasValues ? 360 : 2_880)) * 60_000
}
