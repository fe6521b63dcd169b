import type { UnixMs } from '../lib/clock.ts'
import type { Kinds } from '../rules/kinds.ts'
import type { AlertNature } from './store/alertRows.ts'
import type { AlertStore } from './store/alertStore.ts'
import type { SilencedRow } from './store/silencedRows.ts'
import type { SilenceRow } from './store/silenceRows.ts'
import { keptFinding } from './findingJson.ts'
import { alertIdOf } from './fingerprint.ts'
import { gravity } from './joining.ts'
import { createSilencer } from './silences.ts'
import { nameAmount } from './transferSilence.ts'

/** What a silence would match, before it is made. */
export interface SilencePreview {
  /** As it would be made. */
  readonly silence: Omit<SilenceRow, 'id' | 'expiredAt'>
  /** Conditions that are not over; of a silence of one transfer all alerts of it. */
  readonly now: MatchedAlerts
  /** What was found or changed in the past week. */
  readonly week: MatchedAlerts
}

export interface MatchedAlerts {
  readonly count: number
  /** There are more than were looked at. */
  readonly isAtLeast: boolean
  readonly critical: number
  /** The most frequent first. */
  readonly rules: readonly { readonly rule: string; readonly kind: string; readonly count: number }[]
  /** The most severe, of these the largest, first. */
  readonly first: readonly MatchedAlert[]
  /** The largest amounts. */
  readonly largest: readonly MatchedAlert[]
}

interface MatchedAlert {
  readonly id: string
  readonly rule: string
  readonly severity: SilencedRow['severity']
  readonly subject: string
  /** The key of the transfer that it is about; what else it is about in words. */
  readonly about: string
  /** With its token; null where it names none. */
  readonly amount: string | null
}

const weekMs = 7 * 86_400_000
/** How many alerts are looked at, of each nature: a tenth of a second's work. */
const mostLooked = 10_000
const mostShown = 5
const mostRules = 20

type Source = { readonly store: AlertStore; readonly kinds: Kinds }

/** Judges alerts by a silence that is not made yet. What is looked at is bounded, and said when it is not all. */
export function previewSilence(
  source: Source,
  silence: SilencePreview['silence'],
  now: UnixMs,
): SilencePreview {
  const { store } = source
  const silencer = createSilencer([{ ...silence, id: 0, expiredAt: null }], source)
  const match = (...lists: readonly SilencedRow[][]) =>
    sum(source, {
      matched: lists.flat().filter((row) => silencer(row).silence !== null),
      isAtLeast: lists.some((rows) => rows.length >= mostLooked),
    })
  const key = silence.transfer?.key
  const changed = (nature: AlertNature) =>
    store.listChangedForSilence({ nature, since: now - weekMs }, mostLooked)
  return {
    silence,
    now: match(
      key === undefined
        ? store.listOpenForSilence(mostLooked)
        : store.listOfTransferForSilence(key, mostLooked),
    ),
    week: match(changed('event'), changed('condition')),
  }
}

function sum(
  source: Source,
  { matched: rows, isAtLeast }: { readonly matched: readonly SilencedRow[]; readonly isAtLeast: boolean },
): MatchedAlerts {
  const byRule = Map.groupBy(rows, ({ rule, kind }) => `${rule}\n${kind}`)
  const rules = [...byRule.values()].flatMap((each) => {
    const [one] = each
    return one ? [{ rule: one.rule, kind: one.kind, count: each.length }] : []
  })
  const bySize = rows.toSorted((a, b) =>
    a.amountRank < b.amountRank ? 1 : a.amountRank > b.amountRank ? -1 : 0,
  )
  const bySeverity = bySize.toSorted((a, b) => gravity[a.severity] - gravity[b.severity])
  const show = (each: readonly SilencedRow[]) => each.slice(0, mostShown).map((row) => toMatched(source, row))
  return {
    count: rows.length,
    isAtLeast,
    critical: rows.filter(({ severity }) => severity === 'critical').length,
    rules: rules.toSorted((a, b) => b.count - a.count).slice(0, mostRules),
    first: show(bySeverity),
    largest: show(bySize.filter(({ amountRank }) => amountRank !== '')),
  }
}

function toMatched({ store, kinds }: Source, row: SilencedRow): MatchedAlert {
  const { fingerprint, rule, severity, subject } = row
  const alert = store.getAlert(row.id)
  return {
    id: alertIdOf(fingerprint),
    rule,
    severity,
    subject,
    about: row.transferKey ?? (alert === null ? subject : keptFinding(alert).title),
    amount: alert === null || row.amountRank === '' ? null : nameAmount(alert, kinds),
  }
}

/** One line of it. @example '3 alerts, 1 of them critical' */
export function sayMatched({ count, isAtLeast, critical }: MatchedAlerts): string {
  if (count === 0) return isAtLeast ? 'none of those that were looked at' : 'none'
  const words = `${isAtLeast ? 'at least ' : ''}${count} ${count === 1 ? 'alert' : 'alerts'}`
  return critical === 0 ? `${words}, none critical` : `${words}, ${critical} critical`
}
