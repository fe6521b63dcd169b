import type { Clock, UnixMs } from '../../lib/clock.ts'

/** An endpoint of the explorer, or one of its lists, that shows what happened on a chain block by block. */
export interface Shown {
  /** Such as `E13`. */
  readonly endpoint: string
  /** Such as `token_20 of 0xb1`; '' where it has no lists. */
  readonly list: string
}

/** What is known to have happened, whoever shows it. */
export interface Happened {
  readonly hash: string
  readonly height: number
  readonly time: UnixMs
}

/** How far an endpoint is behind what others show. */
export interface EndpointLag extends Shown {
  /** When the oldest happened that it should show, and does not. */
  readonly since: UnixMs
  /** How old that was when it was asked last. */
  readonly lagMs: number
  /** Transactions that others show, the oldest first. */
  readonly hashes: readonly string[]
}

/** Takes note of what each endpoint shows, and of what it should: what an index that stands still hides nobody sees. */
export interface EndpointLags {
  /**
   * A whole answer about all up to a height; `newest` is the highest block of which it holds something. `at` is null where it
   * would not have shown what lacks so far.
   */
  noteRead(
    shown: Shown,
    reading: { readonly newest: number | null; readonly to: number; readonly at: UnixMs | null },
  ): void
  noteHappened(shown: Shown, happened: Happened): void
  /** Of what lacks the newest that happened by then: who is asked about single things is asked about this once more. */
  newestLack(shown: Shown, by: UnixMs): string | null
  /** Those that show nothing as new as three transactions that they should. */
  list(): EndpointLag[]
}

/** Fewer may lack for a reason of their own. */
const neededLacks = 3
const mostKept = 100

interface Standing {
  readonly shown: Shown
  newest: number
  readTo: number
  readAt: UnixMs | null
  /** What happened above the newest that it showed, by hash. */
  readonly lacks: Map<string, Happened>
}

/** In memory: whoever lags goes on to do so after a start, and nothing from before it is asked for. */
export function createEndpointLags(clock: Pick<Clock, 'now'>): EndpointLags {
  const all = new Map<string, Standing>()
  const of = (shown: Shown): Standing => {
    const key = `${shown.endpoint} ${shown.list}`
    const known = all.get(key) ?? { shown, newest: -1, readTo: -1, readAt: null, lacks: new Map() }
    all.set(key, known)
    return known
  }
  return {
    noteRead(shown, { newest, to, at }) {
      const standing = of(shown)
      standing.newest = Math.max(standing.newest, newest ?? -1)
      standing.readTo = Math.max(standing.readTo, to)
      // Requests are numbered on from before a clock was set back: numbers order answers, and measure no time.
      if (at !== null) standing.readAt = Math.min(at, clock.now())
      for (const [hash, { height }] of standing.lacks)
        if (height <= standing.newest) standing.lacks.delete(hash)
    },
    noteHappened(shown, happened) {
      const { lacks, newest } = of(shown)
      if (happened.height > newest && lacks.size < mostKept) lacks.set(happened.hash, happened)
    },
    newestLack(shown, by) {
      const due = [...of(shown).lacks.values()].filter(({ time }) => time <= by)
      return due.toSorted((a, b) => b.height - a.height)[0]?.hash ?? null
    },
    list: () => [...all.values()].flatMap(toLag),
  }
}

function toLag({ shown, lacks, readTo, readAt }: Standing): EndpointLag[] {
  const lacking = [...lacks.values()]
    .filter(({ height }) => height <= readTo)
    .toSorted((a, b) => a.height - b.height)
  const [oldest] = lacking
  if (oldest === undefined || readAt === null || lacking.length < neededLacks) return []
  return [
    {
      ...shown,
      since: oldest.time,
      lagMs: Math.max(0, readAt - oldest.time),
      hashes: lacking.map(({ hash }) => hash),
    },
  ]
}
