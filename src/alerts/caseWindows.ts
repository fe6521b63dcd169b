import { compareDecimals, formatDecimal, noAmount, toDecimal } from '../bridge/decimal.ts'
import { atRisk } from '../cases/money.ts'
import type { CaseChannel } from '../cases/store/caseChannels.ts'
import type { CaseRow } from '../cases/store/caseRows.ts'
import type { UnixMs } from '../lib/clock.ts'
import type { EngineContext } from './engineContext.ts'
import type { AlertHead } from './store/alertRows.ts'

/** What joins a case that a channel was told of often enough within a minute waits for the end of that. */
const updateMs = 60_000
const mostTellings = 3

/**
 * When something of a case may be told to a channel. The first of it at once, and what is news by itself: of a kind that
 * the channel was not told of, of more money than all that it was. What is but one more goes at once a few times a
 * minute, and then waits for its end: in a storm that is one update a minute.
 */
export function whenToTell(
  { store, now }: Pick<EngineContext, 'store' | 'now'>,
  row: CaseRow,
  of: {
    readonly alert: Pick<AlertHead, 'id' | 'kind'>
    readonly channel: string
    readonly isUrgent: boolean
  },
): UnixMs {
  const known = store.getCaseChannel(row.id, of.channel)
  const kinds = [...new Set([...(known?.kinds ?? []), of.alert.kind])]
  const window = windowAt(known, now)
  const isNews =
    of.isUrgent || !known?.kinds.includes(of.alert.kind) || isLarge(store.getRisk(of.alert.id), known)
  const isSame = window.lastAt === now
  const next = { ...window, caseId: row.id, channel: of.channel, thread: known?.thread ?? null, kinds }
  if (isNews || isSame || window.tellings < mostTellings) {
    const tellings = window.tellings + (isSame ? 0 : 1)
    store.saveCaseChannel({ ...next, lastAt: now, tellings, money: toAmounts(row) })
    return now
  }
  const nextAt = window.windowAt + updateMs
  if (known?.nextAt !== nextAt) store.saveCaseChannel({ ...next, nextAt, money: known?.money ?? {} })
  return nextAt
}

/** The minute that is counted in: where something waited for the end of one, its update is all of the next. */
function windowAt(
  known: CaseChannel | null,
  now: UnixMs,
): Pick<CaseChannel, 'windowAt' | 'lastAt' | 'tellings' | 'nextAt'> {
  const fresh = { windowAt: now, lastAt: -1, tellings: 0, nextAt: null }
  if (known === null || now < known.windowAt) return fresh
  if (now - known.windowAt < updateMs) return known
  const { nextAt } = known
  if (nextAt === null || now - nextAt >= updateMs) return fresh
  return { windowAt: nextAt, lastAt: nextAt, tellings: mostTellings, nextAt: null }
}

/** A channel that is told of a case hears what becomes of it. */
export function noteKnown(
  { store, now }: Pick<EngineContext, 'store' | 'now'>,
  caseId: number,
  of: { readonly channel: string; readonly kind: string },
): void {
  const known = store.getCaseChannel(caseId, of.channel)
  if (known?.kinds.includes(of.kind)) return
  const first = {
    caseId,
    channel: of.channel,
    thread: null,
    windowAt: now,
    lastAt: now,
    tellings: 1,
    nextAt: null,
    money: {},
    kinds: [],
  }
  store.saveCaseChannel({ ...(known ?? first), kinds: [...(known?.kinds ?? []), of.kind] })
}

function isLarge(
  risk: { readonly token: string; readonly amount: string } | null,
  { money }: CaseChannel,
): boolean {
  if (risk === null) return false
  const told = toDecimal(money[risk.token] ?? '0') ?? noAmount
  return compareDecimals(toDecimal(risk.amount) ?? noAmount, told) > 0
}

function toAmounts({ money }: CaseRow): Record<string, string> {
  return Object.fromEntries(Object.entries(money).map(([token, one]) => [token, formatDecimal(atRisk(one))]))
}
